#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/weights.h"

namespace sotto {

// How fast `gt` converges. One round is (x, s) ↦ M(x, s) + const with
//
//     M = [[W, −βI], [G(W−I), W−βG]],   G = diag(G_1, …, G_n),
//
// which has m eigenvalues that are exactly 1: Σs_i − ΣG_i x_i is conserved. The
// rate is M's spectral radius off those. docs/proofs/gradient_tracking.md
//
// Takes perturbed matrices only: what `gt` released, never A_i.
class GradientRate {
 public:
  GradientRate(const Weights& weights, std::vector<Eigen::MatrixXd> perturbed);

  // The radius at step β; below 1 iff gradient tracking converges.
  [[nodiscard]] double radius(double step) const;

  // The supremum of the stable steps: 0 if no step is stable (ΣG_i is not positive definite).
  [[nodiscard]] double largest_stable_step() const;

  // The step with the smallest radius, to a few per cent: `step = "auto"`.
  [[nodiscard]] double best_step() const;

 private:
  [[nodiscard]] double dense_radius(double step) const;

  Eigen::SparseMatrix<double> laplacian_;
  std::vector<Eigen::MatrixXd> g_;
  Eigen::MatrixXd total_inverse_;  // (ΣG_i)⁻¹
  double smallest_eigenvalue_;     // of ΣG_i
};

}  // namespace sotto
