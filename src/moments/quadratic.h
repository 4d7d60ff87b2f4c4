#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

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

// θ = [vech(A); B]: everything a party's problem consists of, each number once.
// vech takes A's upper triangle row by row. docs/proofs/theta.md has the proofs.

// p = m(m+3)/2, the number of θ's entries.
[[nodiscard]] std::size_t theta_size(std::size_t m);

// Where A's entry (row, column) stands in θ; all three count from 0, and either
// triangle may be named. Counting from 1, for c ≥ r, this is the paper's
//
//     (2m − r + 2)(r − 1)/2 + c − (r − 1).
//
// B's entry k stands at m(m+1)/2 + k.
[[nodiscard]] std::size_t theta_index(std::size_t m, std::size_t row, std::size_t column);

// Reads A's upper triangle only.
[[nodiscard]] std::vector<double> to_theta(const Quadratic& quadratic);

// The inverse of to_theta. `theta` has theta_size(m) entries.
[[nodiscard]] Quadratic from_theta(std::span<const double> theta, std::size_t m);

}  // namespace sotto
