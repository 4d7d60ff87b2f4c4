#pragma once

#include "report/html.h"
#include "run/run_record.h"

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

namespace report {

// Its larger sections. Each adds itself to the page, or nothing if the record has
// nothing to say about it.
void add_coefficients(const RunRecord& record, HtmlPage& page);
void add_graph(const RunRecord& record, HtmlPage& page, Audience audience);
void add_convergence(const RunRecord& record, HtmlPage& page);
void add_own(const RunRecord& record, HtmlPage& page);

}  // namespace report

}  // namespace sotto
