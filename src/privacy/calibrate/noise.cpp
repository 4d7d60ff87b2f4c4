#include "privacy/calibrate/noise.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"

// The solvers' names, as study files, records and messages write them, and the parameter g that
// two of them share.
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

Result<void> privacy::require_g(double g) {
  if (std::isfinite(g) && g > 0) return {};
  return bad_input("E-g", fmt::format("g = {} is not an excess of noise", g),
                   "g is a finite number above 0, for example 0.001");
}

double privacy::spare_share(double g) {
  return -std::expm1(-2 * std::log1p(g));
}

}  // namespace sotto
