#include "solve/noisy_sums.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/check.h"

// Whether sums can be used at all, and the basis in which all estimators work.
namespace sotto {

namespace {

// Standard deviations that differ by less than this, relatively, differ by rounding.
constexpr double kRounding = 1e-12;

bool near(double value, double expected) {
  return std::abs(value - expected) <= kRounding * expected;
}

bool is_svec(const Eigen::MatrixXd& sd) {
  for (Eigen::Index c = 0; c < sd.cols(); ++c) {
    for (Eigen::Index r = 0; r <= c; ++r) {
      if (!near(sd(r, c), r == c ? sd(0, 0) : sd(0, 0) / std::numbers::sqrt2)) return false;
    }
  }
  return true;
}

}  // namespace

NoisySums NoisySums::with_sd(Eigen::MatrixXd a, Eigen::VectorXd b, Eigen::MatrixXd sd_a,
                             Eigen::VectorXd sd_b) {
  NoisySums sums{.a = std::move(a), .b = std::move(b)};
  const bool same = std::ranges::all_of(sd_b, [&](double sd) { return near(sd, sd_b(0)); });
  if (sd_b.size() > 0 && same && is_svec(sd_a)) {
    sums.sigma_a = sd_a(0, 0);
    sums.sigma_b = sd_b(0);
    return sums;
  }
  sums.shape = NoiseShape::kOwn;
  sums.own_sd_a = std::move(sd_a);
  sums.own_sd_b = std::move(sd_b);
  return sums;
}

Eigen::MatrixXd NoisySums::sd_a() const {
  if (shape == NoiseShape::kOwn) return own_sd_a;
  const double off = shape == NoiseShape::kSvec ? sigma_a / std::numbers::sqrt2 : sigma_a;
  Eigen::MatrixXd sd = Eigen::MatrixXd::Constant(size(), size(), off);
  sd.diagonal().setConstant(sigma_a);
  return sd;
}

Eigen::VectorXd NoisySums::sd_b() const {
  return shape == NoiseShape::kOwn ? own_sd_b : Eigen::VectorXd::Constant(size(), sigma_b);
}

double NoisySums::invariant_sigma() const {
  switch (shape) {
    case NoiseShape::kSvec:
      return sigma_a;
    case NoiseShape::kEntries:
      return std::numbers::sqrt2 * sigma_a;
    case NoiseShape::kOwn:
      break;
  }
  return covering_sigma(own_sd_a);
}

double covering_sigma(const Eigen::MatrixXd& sd) {
  Eigen::MatrixXd off = sd;
  off.diagonal().setZero();
  return std::max(sd.diagonal().maxCoeff(), std::numbers::sqrt2 * off.maxCoeff());
}

double noise_variance(const Eigen::MatrixXd& sd_a, const Eigen::MatrixXd& s) {
  const Eigen::MatrixXd parts = sd_a.cwiseProduct(s).cwiseAbs2();
  return 2 * parts.sum() - parts.trace();
}

Eigen::MatrixXd noise_seen_through(const Eigen::MatrixXd& sd_a, const Eigen::VectorXd& theta) {
  const Eigen::MatrixXd variance = sd_a.cwiseAbs2();
  Eigen::MatrixXd covariance = variance.cwiseProduct(theta * theta.transpose());
  covariance.diagonal() = variance * theta.cwiseAbs2();
  return covariance;
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
  const auto check_sigma = [&](double sigma) -> Result<void> {
    if (usable(sigma) && sigma >= 0) return {};
    return bad_input("E-solve-sums", fmt::format("a noise scale of {}", sigma),
                     "a finite number that is not negative");
  };
  SOTTO_TRY(check_sigma(sums.sigma_a));
  SOTTO_TRY(check_sigma(sums.sigma_b));
  for (const double sigma : sums.own_sd_a.reshaped()) SOTTO_TRY(check_sigma(sigma));
  for (const double sigma : sums.own_sd_b) SOTTO_TRY(check_sigma(sigma));
  return {};
}

namespace solve {

double mean_above_zero(double value, double sigma) {
  constexpr double kFarBelow = -30;  // from here on σ/−z is it to 0.3 %
  if (sigma == 0) return std::max(value, 0.0);
  const double z = value / sigma;
  if (z < kFarBelow) return sigma / -z;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return value + sigma * density / (std::erfc(-z / std::numbers::sqrt2) / 2);
}

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
