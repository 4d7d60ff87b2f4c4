// record.json: a record or an error. What is a record is written and read to the same bytes, shown
// as a page, and refitted; and the refit is shown, as a page and as a text, and reads back.

#include "fuzz/good_files.h"
#include "fuzz/model_checks.h"

namespace sotto {

// A record's text, or what is changed in a good one (kept_json.h).
SOTTO_FUZZER(record) {
  fuzz::Choices choices(bytes);
  const auto file = fuzz::kept_file(choices, fuzz::good_records());
  if (!file) return;
  const auto record = record_from_json(file->json, "record.json");
  if (!fuzz::fine_or_error(record)) {
    fuzz::require(!file->unchanged, "a good record is taken: " + record.error().to_string());
    return;
  }
  const Json written = to_json(*record);
  fuzz::require(!file->unchanged || json_line(written) == json_line(file->json),
                "a good record is written as it was");
  const auto again = record_from_json(parse_json(json_text(written)), "record.json");
  fuzz::require(again.has_value(),
                [&] { return "what was written reads back: " + json_line(written); });
  fuzz::require(json_line(to_json(*again)) == json_line(written), "a record has one form");
  for (const Audience audience : {Audience::kOwn, Audience::kShared}) {
    fuzz::require_page(*record, audience);
  }
  if (!record->release) return;
  if (const auto model = refit(*record, RefitWords{}); fuzz::fine_or_error(model)) {
    fuzz::require_model(*model);
  }
}

}  // namespace sotto
