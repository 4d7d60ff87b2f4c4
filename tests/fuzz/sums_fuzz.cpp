// Files of raw sums, and two of them together.

#include "fuzz/good_files.h"

namespace sotto {
namespace {

// Written and read back, they are the same sums in the same bytes.
void require_same_again(const SumsFile& sums) {
  const std::string first = fuzz::own_folder() + "/again.json";
  fuzz::require(write_sums(first, sums).has_value(), "sums are written");
  const auto again = read_sums(first);
  fuzz::require(again && again->table == sums.table && again->parts == sums.parts &&
                    again->data == sums.data && again->study == sums.study,
                "sums read back");
  const std::string second = fuzz::own_folder() + "/and again.json";
  fuzz::require(
      write_sums(second, *again).has_value() && fuzz::content_of(first) == fuzz::content_of(second),
      "sums have one form");
}

void add_up(SumsFile both, const SumsFile& other) {
  const std::size_t dimension = both.table.moments.dimension;
  if (!fuzz::fine_or_error(both.add(other))) return;
  fuzz::require(both.table.moments.dimension == dimension, "sums of one study have one size");
  require_same_again(both);
}

}  // namespace

// A file's text, or what is changed in a good one (kept_json.h); then what is changed in that to
// become a second one.
SOTTO_FUZZER(sums) {
  fuzz::Choices choices(bytes);
  const auto file = fuzz::kept_file(choices, fuzz::good_sums());
  if (!file) return;
  const std::string path = fuzz::file_with("sums.json", json_text(file->json));
  (void)is_sums_file(path);
  const auto sums = read_sums(path);
  if (!fuzz::fine_or_error(sums)) {
    fuzz::require(!file->unchanged, "good sums are taken: " + sums.error().to_string());
    return;
  }
  require_same_again(*sums);
  static const Study studies[] = {fuzz::study_of_few(), fuzz::study_of_everything()};
  for (const Study& study : studies) (void)fuzz::fine_or_error(sums_for(study, 1, path));
  SumsFile elsewhere = *sums;
  for (SumsPart& part : elsewhere.parts) part.source.place += " too";
  add_up(elsewhere, *sums);
  Json other = file->json;
  const std::size_t changes = 1 + choices.below(6);
  for (std::size_t k = 0; k < changes; ++k) fuzz::change_json(choices, other);
  other = parse_json(json_line(other));
  if (!other.is_object()) return;
  const auto second =
      read_sums(fuzz::file_with("second.json", json_text(with_digest(std::move(other)))));
  if (!fuzz::fine_or_error(second)) return;
  add_up(*sums, *second);
  add_up(*second, *sums);
  add_up(elsewhere, *second);
}

}  // namespace sotto
