#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/spectrum.h"
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

  // A step near the smallest radius, `step = "auto"`: the best one for parties that
  // all hold the mean Ḡ = ΣG_i/n, shortened as long as that helps the real ones.
  [[nodiscard]] double best_step() const;

  // The radius if all parties held Ḡ. Then M falls into 2×2 blocks, one for every
  // pair of eigenvalues w of W and g of Ḡ, whose eigenvalues rise with w:
  //
  //     λ = w + (−βg ± √((βg)² + 4βg(1−w)))/2,
  //
  // so the smallest and the largest w < 1 decide.
  [[nodiscard]] double mean_field_radius(double step) const;

 private:
  [[nodiscard]] double dense_radius(double step) const;

  Eigen::SparseMatrix<double> laplacian_;
  std::vector<Eigen::MatrixXd> g_;
  Eigen::MatrixXd total_inverse_;     // (ΣG_i)⁻¹
  Eigen::VectorXd mean_eigenvalues_;  // of Ḡ, ascending
  Spectrum spectrum_;                 // of L = I − W
};

}  // namespace sotto
