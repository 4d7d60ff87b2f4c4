#include "solve/spectrum_of_sums.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace sotto {

SpectrumOfSums::SpectrumOfSums(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  check(solver.info() == Eigen::Success, "a finite symmetric matrix has a spectrum");
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
}

SpectralSolution minimum_norm(const Eigen::VectorXd& values, const Eigen::MatrixXd& vectors,
                              const Eigen::VectorXd& b) {
  const double zero = static_cast<double>(values.size()) * std::numeric_limits<double>::epsilon() *
                      values.cwiseAbs().maxCoeff();
  SpectralSolution solution;
  Eigen::VectorXd coordinates = vectors.transpose() * b;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    // A subnormal eigenvalue could still send the quotient to infinity.
    const double quotient = coordinates(i) / values(i);
    const bool usable = std::abs(values(i)) > zero && std::isfinite(quotient);
    coordinates(i) = usable ? quotient : 0;
    if (!usable) ++solution.dropped;
  }
  solution.theta = vectors * coordinates;
  return solution;
}

}  // namespace sotto
