#pragma once

#include "report/html.h"
#include "report/run_record.h"

namespace sotto {

enum class Audience {
  kOwn,     // the party that took part: with what stays with it
  kShared,  // anybody: RunRecord::own is left out
};

// A finished run as one page for people: what was found and how sure it is, who
// could have learned what, and what was promised.
//
//     const auto record = read_record("out/run");
//     write_file("report.html", run_report(*record, Audience::kOwn).html());
[[nodiscard]] HtmlPage run_report(const RunRecord& record, Audience audience);

}  // namespace sotto
