#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/estimators.h"

// A posterior mean in the basis of the noisy eigenvectors: empirical Bayes over one scale τ.
namespace sotto {
namespace {

constexpr Eigen::Index kPriorPoints = 60;
constexpr double kLog10SmallestPrior = -3;
constexpr double kLog10LargestPrior = 2;
constexpr double kResidualVariance = 0.05;
constexpr double kSecondMomentFloor = 1e-12;  // keeps V > 0 where there is neither signal nor noise

// Posterior mean and variance of θ's eigen-coordinates.
struct Coordinates {
  Eigen::ArrayXd mean;
  Eigen::ArrayXd variance;
};

Coordinates posterior(const solve::TrueMoments& moments, const Eigen::ArrayXd& beta,
                      const Eigen::ArrayXd& variance_beta) {
  const Eigen::ArrayXd m1 = moments.first.array();
  const Eigen::ArrayXd m2 = moments.second.array();
  const Eigen::Index d = beta.size();
  Eigen::ArrayXd prior(kPriorPoints);
  Eigen::ArrayXd log_weight(kPriorPoints);
  Eigen::ArrayXXd gain(d, kPriorPoints);  // τ²m1/V
  for (Eigen::Index t = 0; t < kPriorPoints; ++t) {
    const double along = static_cast<double>(t) / static_cast<double>(kPriorPoints - 1);
    prior(t) =
        std::pow(10, kLog10SmallestPrior + along * (kLog10LargestPrior - kLog10SmallestPrior));
    const Eigen::ArrayXd v = prior(t) * m2 + kResidualVariance * m1 + variance_beta;
    log_weight(t) = -0.5 * (v.log() + beta.square() / v).sum() + 0.25 * std::log(prior(t));
    gain.col(t) = prior(t) * m1 / v;
  }
  Eigen::ArrayXd weight = (log_weight - log_weight.maxCoeff()).exp();
  weight /= weight.sum();

  const Eigen::ArrayXd mean = beta * (gain.matrix() * weight.matrix()).array();
  Eigen::ArrayXd variance = Eigen::ArrayXd::Zero(d);
  for (Eigen::Index t = 0; t < kPriorPoints; ++t) {
    const Eigen::ArrayXd within = prior(t) * (1 - gain.col(t) * m1);
    const Eigen::ArrayXd between = (gain.col(t) * beta - mean).square();
    variance += weight(t) * (within + between);
  }
  return {.mean = mean, .variance = variance};
}

// Of the noise on β = Qᵀb̂.
Eigen::ArrayXd variance_along(const solve::SpectrumOfSums& spectrum, const NoisySums& sums) {
  if (sums.shape == NoiseShape::kOwn) {
    return spectrum.vectors.cwiseAbs2().transpose() * sums.own_sd_b.cwiseAbs2();
  }
  return Eigen::ArrayXd::Constant(sums.size(), sums.sigma_b * sums.sigma_b);
}

}  // namespace

solve::TrueMoments solve::true_moments(const Eigen::VectorXd& eigenvalues, double sigma) {
  const Eigen::Index d = eigenvalues.size();
  const double variance = sigma * sigma;
  solve::TrueMoments moments{.first = eigenvalues.cwiseMax(0), .second = Eigen::VectorXd(d)};
  for (Eigen::Index i = 0; i < d && variance > 0; ++i) {
    const Eigen::ArrayXd distance = eigenvalues(i) - eigenvalues.array();
    const double h = (distance / (distance.square() + variance)).sum();
    moments.first(i) = std::max(eigenvalues(i) - variance * h, 0.0);
  }
  const Eigen::ArrayXd m1 = moments.first.array();
  // 4vd = 2σ²d
  moments.second = m1 * (m1 + (m1.square() + 2 * variance * static_cast<double>(d)).sqrt()) / 2 +
                   kSecondMomentFloor;
  return moments;
}

Result<Estimate> noise_aware(const NoisySums& sums) {
  SOTTO_TRY(validate(sums));
  const solve::SpectrumOfSums spectrum(sums.a);
  const solve::TrueMoments moments = solve::true_moments(spectrum.values, sums.invariant_sigma());
  const Eigen::ArrayXd beta = (spectrum.vectors.transpose() * sums.b).array();
  const Coordinates found = posterior(moments, beta, variance_along(spectrum, sums));

  Estimate estimate;
  estimate.theta = spectrum.vectors * found.mean.matrix();
  estimate.posterior_variance = spectrum.vectors.cwiseAbs2() * found.variance.matrix();
  const Eigen::Index lost = (moments.first.array() == 0).count();
  if (lost > 0) {
    estimate.warnings.push_back(
        fmt::format("In {} of {} directions the data do not rise above the noise; the coefficients "
                    "are shrunk to 0 there.",
                    lost, sums.size()));
  }
  return estimate;
}

}  // namespace sotto
