#include <fmt/format.h>

#include <cmath>

#include "run/refit/combine.h"
#include "run/refit/refit.h"

// What a person or a program asks of a refit, in words, and the method that it means.
namespace sotto {

Result<FitMethod> method_of(const RunRecord& source, const Release& release,
                            const RefitWords& words) {
  const bool instruments = !words.instruments.empty();
  const bool named = !words.estimator.empty();
  if (words.ridge.has_value() + instruments + named > 1) {
    return bad_input("E-usage", "--ridge, --instruments and --estimator exclude each other",
                     "one of them");
  }
  if (instruments) {
    SOTTO_ASSIGN(auto columns, find_columns(release, words.instruments, "--instruments"));
    return FitMethod{.estimator = Estimator::kTwoStage, .instruments = std::move(columns)};
  }
  if (words.ridge) {
    if (!std::isfinite(*words.ridge) || *words.ridge < 0) {
      return bad_input("E-refit-ridge", fmt::format("a ridge of {}", *words.ridge),
                       "a number, 0 or more: what is added to the sums of squares")
          .at("--ridge");
    }
    return FitMethod{.estimator = Estimator::kRidge, .ridge = *words.ridge};
  }
  if (!named) {
    SOTTO_ASSIGN(const auto selection, select(release, words.model));
    if (selection.through_origin) return FitMethod{.estimator = Estimator::kExact};
    SOTTO_ASSIGN(auto columns, find_columns(release, source.instruments, "instruments"));
    return FitMethod{.estimator = source.estimator,
                     .ridge = source.ridge,
                     .instruments = std::move(columns),
                     .settings = source.estimator_settings};
  }
  SOTTO_ASSIGN(const auto estimator, estimator_from_name(words.estimator).at("--estimator"));
  if (estimator == Estimator::kRidge) {
    return bad_input("E-refit-ridge", "the estimator \"ridge\" needs its λ", "write --ridge 10")
        .at("--estimator");
  }
  if (estimator == Estimator::kTwoStage) {
    return bad_input("E-refit-instruments", "the estimator \"two-stage\" needs its instruments",
                     "write --instruments a,b")
        .at("--estimator");
  }
  return FitMethod{.estimator = estimator};
}

Result<std::vector<BaseLevel>> base_levels_from(const std::vector<std::string>& words) {
  std::vector<BaseLevel> bases;
  for (const std::string& word : words) {
    const std::size_t at = word.find('=');
    if (at == 0 || at == std::string::npos || at + 1 == word.size()) {
      return bad_input("E-refit-base", fmt::format("\"{}\" is no level of a column", word),
                       "write column=level, as heating=gas")
          .at("--base");
    }
    bases.push_back({.column = word.substr(0, at), .level = word.substr(at + 1)});
  }
  return bases;
}

Result<Model> refit(const RunRecord& source, const RefitWords& words) {
  SOTTO_ASSIGN(const auto released, release_in(source));
  SOTTO_ASSIGN(const auto release, combine_columns(released, words.model));
  SOTTO_ASSIGN(const auto selection, select(release, words.model));
  SOTTO_ASSIGN(const auto method, method_of(source, release, words));
  SOTTO_ASSIGN(const auto bases, base_levels_from(words.bases));
  return refit(source, release, selection, method, bases);
}

}  // namespace sotto
