#include "study/study.h"

#include <fmt/format.h>

#include "base/check.h"

namespace sotto {
namespace {

// Σy² is only for s² and the explained variance, which need few digits; with v = 1 it would take
// a third of Δ² = 1 + w² + v². v = 1/2 makes Δ = 1.5, exactly, where √2 is the least, and the
// noise on Σy² 3/κ̄ where it would be √3/κ̄. Measured: docs/FINDINGS.md, 19.
constexpr double kAddRemoveV2 = 0.25;
// Where a row is replaced, Δ = (2 + w²)/√2 for every v² up to w² + w⁴/2: less would gain nothing.
constexpr double kReplaceV2 = 1;

}  // namespace

std::string to_string(Solver solver) {
  switch (solver) {
    case Solver::kGt:
      return "gt";
    case Solver::kDishuf:
      return "dishuf";
    case Solver::kAc:
      return "ac";
    case Solver::kPairwise:
      return "pairwise";
  }
  check(false, "a solver has a name");
  return {};
}

Result<Solver> solver_from(std::string_view name) {
  for (const Solver solver : {Solver::kGt, Solver::kDishuf, Solver::kAc, Solver::kPairwise}) {
    if (to_string(solver) == name) return solver;
  }
  return bad_input("E-solver", fmt::format("there is no solver \"{}\"", name),
                   "choose gt, dishuf, ac or pairwise");
}

RecordWeights released_weights(Neighbours neighbours, const SolveTerms& terms) {
  if (!terms.error_bars) return {.w2 = 1, .v2 = 0};
  return {.w2 = 1, .v2 = neighbours == Neighbours::kAddRemove ? kAddRemoveV2 : kReplaceV2};
}

Sensitivity row_sensitivity(Neighbours neighbours, const SolveTerms& terms) {
  return *Sensitivity::make(*record_sensitivity(neighbours, released_weights(neighbours, terms)));
}

}  // namespace sotto
