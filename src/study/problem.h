#pragma once

#include <Eigen/Core>
#include <vector>

#include "privacy/seal.h"
#include "problem/quadratic.h"
#include "study/study.h"

namespace sotto {

// The parties' costs of a simulated study, and what solves them without noise.
struct Problem {
  std::vector<Quadratic> costs;  // one per party
  Eigen::VectorXd solution;      // x*

  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(solution.size()); }
};

// E-problem-missing without a [problem]; otherwise the family's or the files' errors.
[[nodiscard]] Result<Problem> load_problem(const Study& study);

// Each party's θ_i behind the privacy boundary.
[[nodiscard]] std::vector<Secret> secrets_of(const Problem& problem, Sensitivity mu);

}  // namespace sotto
