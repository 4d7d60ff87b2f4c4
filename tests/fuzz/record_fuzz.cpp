// record.json: a record or an error. What is a record is written and read to the same bytes, shown
// as a page, and refitted.

#include "fuzz/kept_json.h"
#include "report/run_report.h"
#include "run/refit/refit.h"

namespace sotto {

SOTTO_FUZZER(record) {
  const auto json = fuzz::with_good_digest(bytes);
  if (!json) return;
  const auto record = record_from_json(*json, "record.json");
  if (!fuzz::fine_or_error(record)) return;
  const Json written = to_json(*record);
  const auto again = record_from_json(with_digest(written), "record.json");
  fuzz::require(again.has_value(), "what was written reads back: " + json_line(written));
  fuzz::require(json_line(to_json(*again)) == json_line(written), "a record has one form");
  for (const Audience audience : {Audience::kOwn, Audience::kShared}) {
    fuzz::require(!run_report(*record, audience).html().empty(), "a record is a page");
  }
  if (record->release) (void)fuzz::fine_or_error(refit(*record, RefitWords{}));
}

}  // namespace sotto
