#include "solve/noisy_sums.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

// Whether sums can be used at all, and the basis in which all estimators work.
namespace sotto {

double NoisySums::invariant_sigma() const {
  return shape == NoiseShape::kSvec ? sigma_a : std::numbers::sqrt2 * sigma_a;
}

NoisySums from_quadratic(const Quadratic& noisy, double sigma) {
  return {.a = noisy.a,
          .b = -noisy.b,
          .sigma_a = sigma,
          .sigma_b = sigma,
          .shape = NoiseShape::kEntries};
}

Result<void> validate(const NoisySums& sums) {
  const Eigen::Index d = sums.size();
  if (d == 0 || sums.a.rows() != d || sums.a.cols() != d) {
    return bad_input("E-solve-sums",
                     fmt::format("the sum of all A is {}×{} and that of all b has {} entries",
                                 sums.a.rows(), sums.a.cols(), d),
                     "a square A, as wide as b is long, of at least one entry");
  }
  const auto usable = [](double value) { return std::abs(value) <= kMaxSum; };  // not so for NaN
  for (const double entry : sums.a.reshaped()) {
    if (!usable(entry)) {
      return bad_input("E-solve-sums", fmt::format("an entry of A's sum is {}", entry),
                       "finite numbers");
    }
  }
  for (const double entry : sums.b) {
    if (!usable(entry)) {
      return bad_input("E-solve-sums", fmt::format("an entry of b's sum is {}", entry),
                       "finite numbers");
    }
  }
  if (sums.a != sums.a.transpose()) {
    return bad_input("E-solve-sums", "A's sum is not symmetric", "the same bits in both triangles");
  }
  for (const double sigma : {sums.sigma_a, sums.sigma_b}) {
    if (!usable(sigma) || sigma < 0) {
      return bad_input("E-solve-sums", fmt::format("a noise scale of {}", sigma),
                       "a finite number that is not negative");
    }
  }
  return {};
}

namespace solve {

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

}  // namespace solve
}  // namespace sotto
