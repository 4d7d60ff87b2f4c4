#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "study/study_draft.h"

// What `sotto new` has to know before it can write a study, and how it asks for it.
namespace sotto {

// What flags have answered already.
struct NewStudy {
  StudyDraft draft;
  std::vector<std::string> header;  // of a table; empty: nobody showed one
  bool has_name = false;
  bool has_target = false;
  bool has_features = false;
  bool has_epsilon = false;
  bool has_delta = false;
  bool has_parties = false;
  bool has_colluders = false;
  std::optional<std::uint64_t> rows;  // in all tables together, about

  // All that no default can be for; then nothing is asked.
  [[nodiscard]] bool complete() const {
    return has_target && has_epsilon && has_delta && has_parties;
  }
};

// "kwh=0:1000" → a column and its bounds; "heating=gas,district" → a column and its levels.
// E-new-column says how it is written.
[[nodiscard]] Result<NumericFeature> number_column(const std::string& words);
[[nodiscard]] Result<CategoricalFeature> category_column(const std::string& words);

// Asks on standard error for what is missing, and reads the answers from `answers`: a terminal, or
// lines that somebody piped. An empty answer takes what stands in brackets. A column's bounds are
// never proposed: they would come from data. E-new-answer where the answers end too early, and
// names the flag that would have told.
[[nodiscard]] Result<void> ask_what_is_missing(NewStudy& study, std::istream& answers);

// A δ well below 1/rows: a power of ten.
[[nodiscard]] double proposed_delta(std::uint64_t rows);

}  // namespace sotto
