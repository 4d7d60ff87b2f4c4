#pragma once

#include <Eigen/Core>

namespace sotto {

// Â = QΛQᵀ, eigenvalues in ascending order. Every estimator works in this basis:
// it is backward stable for definite and indefinite Â alike, and shows how far
// Â is from singular.
struct SpectrumOfSums {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;

  explicit SpectrumOfSums(const Eigen::MatrixXd& symmetric);
};

struct SpectralSolution {
  Eigen::VectorXd theta;
  Eigen::Index dropped = 0;  // directions without a usable eigenvalue
};

// The minimum-norm least-squares solution of Q diag(values) Qᵀθ = b. Eigenvalues
// with |λ| ≤ d·2⁻⁵²·max|λ| count as 0.
[[nodiscard]] SpectralSolution minimum_norm(const Eigen::VectorXd& values,
                                            const Eigen::MatrixXd& vectors,
                                            const Eigen::VectorXd& b);

}  // namespace sotto
