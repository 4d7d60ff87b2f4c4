// Files of raw sums, and two of them together.

#include "fuzz/kept_json.h"
#include "run/sums/sums_file.h"

namespace sotto {

SOTTO_FUZZER(sums) {
  const auto json = fuzz::with_good_digest(bytes);
  if (!json) return;
  const std::string path = fuzz::file_with("sums.json", json_text(*json));
  (void)is_sums_file(path);
  const auto sums = read_sums(path);
  if (!fuzz::fine_or_error(sums)) return;
  const std::string copy = fuzz::own_folder() + "/again.json";
  fuzz::require(write_sums(copy, *sums).has_value(), "sums are written");
  const auto again = read_sums(copy);
  fuzz::require(again && again->table == sums->table && again->parts == sums->parts &&
                    again->data == sums->data,
                "sums read back");
  SumsFile both = *sums;
  for (SumsPart& part : both.parts) part.source.place += " too";
  if (const auto added = both.add(*sums); fuzz::fine_or_error(added)) {
    fuzz::require(both.table.moments.dimension == sums->table.moments.dimension,
                  "sums of one study have one size");
  }
}

}  // namespace sotto
