#pragma once

#include <string>
#include <vector>

#include "run/model.h"

// Other models from what one study has released. Nothing is read but the release, and nothing is
// spent: all of it is post-processing.
namespace sotto {

// Columns by the names that the study gave them (all levels of a categorical one), by one level as
// "heating=gas", or by patterns with * and ?.
struct ModelWords {
  std::string target = {};  // empty: the study's
  std::vector<std::string> features =
      {};  // empty: the study's; with another target all other columns
  std::vector<std::string> without = {};
};

// E-refit-column: the release has no such column or level, with the nearest that it has.
// E-refit-target: a column of several levels; and the errors of select().
[[nodiscard]] Result<Selection> select(const Release& release, const ModelWords& words);

// E-refit-release: the record has none.
[[nodiscard]] Result<Release> release_in(const RunRecord& record);

// `source` with another model of its release in it. E-refit-singular: the sums do not tell these
// columns apart.
[[nodiscard]] Result<Model> refit(const RunRecord& source, const Selection& selection,
                                  FitMethod method);

}  // namespace sotto
