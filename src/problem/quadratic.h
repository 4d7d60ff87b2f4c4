#pragma once

#include <Eigen/Core>
#include <span>

#include "base/result.h"

namespace sotto {

// One party's objective f(x) = ½xᵀAx + Bᵀx. Invariant: A is symmetric, B as long as A is wide.
// For a table of rows (x, y): A = XᵀX and B = −Xᵀy.
struct Quadratic {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;

  [[nodiscard]] Eigen::Index size() const { return b.size(); }
};

// Σf_i, term by term in the order given. At least one party, all of one size.
[[nodiscard]] Quadratic sum(std::span<const Quadratic> parties);

// The x that minimises Σf_i:
//
//     x* = −A⁻¹B,  A = ΣA_i,  B = ΣB_i
//
// E-problem-indefinite where A is not positive definite to working precision
// (λ_min ≤ m·2⁻⁵²·λ_max): then there is no minimiser, or no single one.
[[nodiscard]] Result<Eigen::VectorXd> minimiser(std::span<const Quadratic> parties);

}  // namespace sotto
