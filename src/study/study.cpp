#include "study/study.h"

#include <fmt/format.h>

#include "base/check.h"

namespace sotto {

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

RecordWeights released_weights(const SolveTerms& terms) {
  return {.w2 = 1, .v2 = terms.error_bars ? 1.0 : 0.0};
}

Sensitivity row_sensitivity(Neighbours neighbours, const SolveTerms& terms) {
  return *Sensitivity::make(*record_sensitivity(neighbours, released_weights(terms)));
}

}  // namespace sotto
