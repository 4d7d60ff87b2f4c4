#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/model.h"
#include "solve/structure.h"
#include "solve/subsets.h"

// Other models from what one study has released. Nothing is read but the release, and nothing is
// spent: all of it is post-processing.
namespace sotto {

// Columns by the names that the study gave them (all levels of a categorical one), by one level as
// "heating=gas", or by patterns with * and ?. "intercept" among `without`: a model through the
// origin of the columns' own units.
struct ModelWords {
  std::string target = {};  // empty: the study's
  std::vector<std::string> features =
      {};  // empty: the study's; with another target all other columns
  std::vector<std::string> without = {};
};

// E-refit-column: the release has no such column or level, with the nearest that it has.
// E-refit-target: a column of several levels; and the errors of select().
[[nodiscard]] Result<Selection> select(const Release& release, const ModelWords& words);

// The release's columns that the words of option `where` stand for. E-refit-column.
[[nodiscard]] Result<std::vector<Eigen::Index>> find_columns(const Release& release,
                                                             const std::vector<std::string>& words,
                                                             const std::string& where);

// Those of a selection whose moments about the mean are known: its features and its target, but for
// the intercept and a target whose square stayed at home.
[[nodiscard]] std::vector<Eigen::Index> varying_columns(const Release& release,
                                                        const Selection& selection);

// What a search keeps of a selection's features, columns of the study as a whole. Errors as
// model_errors() and search_features(); E-refit-features without an intercept.
struct Chosen {
  SearchResult search;
  std::vector<std::string> names;  // of the search's groups
  Selection selection;
};
[[nodiscard]] Result<Chosen> choose_features(const Release& release, const Selection& selection,
                                             Search search);

// Two models of one target. E-refit-compare: they are not nested, or have no intercept. Errors as
// model_errors().
[[nodiscard]] Result<NestedTest> compare(const Release& release, const Selection& small,
                                         const Selection& large);

// Target and features of a record's own model. E-refit-column: they are not the release's.
[[nodiscard]] Result<Selection> selection_of(const Release& release, const RunRecord& record);

// E-refit-release: the record has none.
[[nodiscard]] Result<Release> release_in(const RunRecord& record);

// `source` with another model of its release in it. E-refit-singular: the sums do not tell these
// columns apart. E-refit-base: a level of `bases` cannot be one.
[[nodiscard]] Result<Model> refit(const RunRecord& source, const Selection& selection,
                                  const FitMethod& method,
                                  const std::vector<BaseLevel>& bases = {});

// All that `sotto refit` and the library can be asked for.
struct RefitWords {
  ModelWords model = {};
  std::vector<std::string> bases = {};  // as "heating=gas"
  std::string estimator = {};           // empty: the run's own; "exact" without an intercept
  std::optional<double> ridge = {};
  std::vector<std::string> instruments = {};
};

// How these words want the model fitted. E-usage: ridge, instruments and estimator exclude each
// other. E-refit-ridge, E-refit-instruments, E-solve-estimator, E-refit-column.
[[nodiscard]] Result<FitMethod> method_of(const RunRecord& source, const Release& release,
                                          const RefitWords& words);

// "heating=gas" each. E-refit-base.
[[nodiscard]] Result<std::vector<BaseLevel>> base_levels_from(
    const std::vector<std::string>& words);

// All of it in one: errors as those above.
[[nodiscard]] Result<Model> refit(const RunRecord& source, const RefitWords& words);

// The same with a selection of `release`, made of the source's (combine.h), which stays in the
// model file.
[[nodiscard]] Result<Model> refit(const RunRecord& source, const Release& release,
                                  const Selection& selection, const FitMethod& method,
                                  const std::vector<BaseLevel>& bases = {});

// Whether parties differ: the F-test that all effects of party = "effect" are 0. Nothing for a
// release without them; errors as model_errors().
[[nodiscard]] Result<std::optional<NestedTest>> party_test(const Release& release);

}  // namespace sotto
