#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/fit.h"

// The plug-in estimate with its errors, where the noise is small enough for the expansion.
namespace sotto {
namespace {

// s² is at least this, whatever the sums say: what rounding leaves of |y| ≤ 1.
constexpr double kSmallestResidualVariance = 1e-12;

// Rows beyond the coefficients, at least.
constexpr double kLeastFreedom = 1;

// Mean and variance of R ≥ 0 given z ~ N(R, 1), under a uniform prior on R^¼: by midpoints in
// t = R^¼, where the integrand is even in t⁴ and the rule therefore converges geometrically.
struct ResidualPosterior {
  double mean = 0;
  double variance = 0;
};
ResidualPosterior residual_posterior(double z) {
  constexpr double kFarAbove = 1000;  // from here on the prior moves the mean by −¾/z alone
  constexpr double kBelow = -5;
  constexpr double kReach = 9;
  constexpr int kPoints = 400;
  if (z > kFarAbove) return {.mean = z - 0.75 / z, .variance = 1};
  const double most = z > kBelow ? z + kReach : 25 / -z;
  const double from = std::pow(std::max(z - kReach, 0.0), 0.25);
  const double step = (std::pow(most, 0.25) - from) / kPoints;
  double weight = 0;
  double first = 0;
  double second = 0;
  // For z < 0 the peak is at R = 0: taken off, nothing underflows.
  const double highest = z > 0 ? 0 : z * z / 2;
  for (int k = 0; k < kPoints; ++k) {
    const double residuals = std::pow(from + (k + 0.5) * step, 4);
    const double density = std::exp(highest - std::pow(residuals - z, 2) / 2);
    weight += density;
    first += density * residuals;
    second += density * residuals * residuals;
  }
  const double mean = first / weight;
  return {.mean = mean, .variance = std::max(second / weight - mean * mean, 0.0)};
}

// How far Â is above its noise: refused where `smallest` < `needed`.
struct NoiseLimit {
  double smallest = 0;
  double needed = 0;
};
NoiseLimit noise_limit(const NoisySums& sums, const solve::SpectrumOfSums& spectrum) {
  const auto size = static_cast<double>(sums.size());
  const double rounding =
      size * std::numeric_limits<double>::epsilon() * spectrum.values.cwiseAbs().maxCoeff();
  if (sums.shape == NoiseShape::kOwn && sums.own_sd_a.diagonal().minCoeff() > 0) {
    const Eigen::VectorXd t = sums.own_sd_a.diagonal();
    const Eigen::MatrixXd by = (t * t.transpose()).cwiseSqrt();
    const double typical = std::exp(t.array().log().mean());
    const solve::SpectrumOfSums scaled(sums.a.cwiseQuotient(by));
    const double sigma = covering_sigma(sums.own_sd_a.cwiseQuotient(by));
    const double needed = typical * 2 * sigma * std::sqrt(size);
    if (spectrum.values(0) <= rounding) {
      return {.smallest = spectrum.values(0), .needed = std::max(needed, rounding)};
    }
    return {.smallest = typical * scaled.values(0), .needed = needed};
  }
  return {.smallest = spectrum.values(0),
          .needed = std::max(2 * sums.invariant_sigma() * std::sqrt(size), rounding)};
}

// How many times the rows, or ε, would have to be what they are: Â's eigenvalues grow with the
// rows, and σ falls with ε.
std::string much_more(double smallest, double needed) {
  constexpr double kTooFarToTell = 20;
  if (smallest * kTooFarToTell < needed) return "Many times the rows or the ε";
  return fmt::format("About {:.1f} times the rows or the ε", std::max(needed / smallest, 1.1));
}

}  // namespace

Result<double> solve::residual_freedom(double rows, Eigen::Index coefficients) {
  const double freedom = rows - static_cast<double>(coefficients);
  if (freedom >= kLeastFreedom) return freedom;
  return failed(
      "E-errors-rows",
      fmt::format("about {:.0f} rows are too few for {} coefficients", rows, coefficients),
      "more rows, or fewer features");
}

solve::ResidualVariance solve::residual_variance(double r, double noise, double freedom) {
  ResidualPosterior residuals{.mean = std::max(r, 0.0), .variance = 0};
  if (noise > 0) {
    const ResidualPosterior scaled = residual_posterior(r / noise);
    residuals = {.mean = noise * scaled.mean, .variance = noise * noise * scaled.variance};
  }
  const double value = std::max(residuals.mean / freedom, kSmallestResidualVariance);
  return {.value = value,
          .sd = std::sqrt(2 * value * value / freedom + residuals.variance / (freedom * freedom))};
}

double degrees_of_freedom(const PlugInErrors& errors, double sampling_share) {
  const double uncertain = sampling_share * errors.residual_variance_sd / errors.residual_variance;
  const double freedom = 2 / (uncertain * uncertain);
  return freedom < kNormalFrom ? freedom : std::numeric_limits<double>::infinity();
}

Result<PlugInErrors> plug_in_errors(const NoisySums& sums, SumOfSquares squares, double rows) {
  SOTTO_TRY(validate(sums));
  if (!std::isfinite(squares.value) || !std::isfinite(rows) || rows <= 0) {
    return failed("E-errors-rows",
                  fmt::format("{} rows whose squared targets add up to {}", rows, squares.value),
                  "a positive number of rows and a finite sum");
  }
  if (!(std::abs(squares.value) <= kMaxSum && squares.sigma >= 0 && squares.sigma <= kMaxSum)) {
    return bad_input("E-solve-sums",
                     fmt::format("the squared targets add up to {} with noise of σ = {}",
                                 squares.value, squares.sigma),
                     fmt::format("numbers up to {:g}", kMaxSum));
  }
  const solve::SpectrumOfSums spectrum(sums.a);
  const auto [smallest, needed] = noise_limit(sums, spectrum);
  if (smallest < needed || smallest <= 0) {
    return failed(
        "E-errors-noise",
        fmt::format(
            "no intervals: the noise that protects people is too large beside what these "
            "rows tell about every column. {} would do, or fewer or less correlated "
            "columns (the noisy A's smallest eigenvalue is {:.4g}, and {:.4g} = 2σ√d is the "
            "least)",
            much_more(smallest, needed), smallest, needed),
        "more rows, a larger ε, or fewer or less correlated features");
  }
  SOTTO_ASSIGN(const auto freedom, solve::residual_freedom(rows, sums.size()));
  const Eigen::VectorXd inverse_values = spectrum.values.cwiseInverse();
  const Eigen::MatrixXd inverse =
      spectrum.vectors * inverse_values.asDiagonal() * spectrum.vectors.transpose();

  PlugInErrors found;
  found.theta = inverse * sums.b;
  found.noise_margin = smallest / needed;
  Eigen::MatrixXd middle = noise_seen_through(sums.sd_a(), found.theta);
  const Eigen::VectorXd variance_b = sums.sd_b().cwiseAbs2();
  const double residual_noise =
      std::sqrt(squares.sigma * squares.sigma + 4 * variance_b.dot(found.theta.cwiseAbs2()) +
                found.theta.dot(middle * found.theta));
  middle.diagonal() += variance_b;
  const double followed = inverse.cwiseProduct(middle).sum();
  found.residual_sum = squares.value - found.theta.dot(sums.b) + followed;
  const auto residuals = solve::residual_variance(found.residual_sum, residual_noise, freedom);
  found.residual_variance = residuals.value;
  found.residual_variance_sd = residuals.sd;
  found.sampling_covariance = found.residual_variance * inverse;
  found.covariance = found.sampling_covariance + inverse * middle * inverse;
  found.log_det_noiseless = (found.residual_variance * inverse_values).array().log().sum();
  found.standard_error = found.covariance.diagonal().cwiseSqrt();
  if (!found.covariance.allFinite() || !found.theta.allFinite() ||
      !std::isfinite(found.residual_variance_sd)) {
    return failed("E-errors-noise", "no intervals: they are past a double's range",
                  "sums and noise as a run releases them");
  }
  return found;
}

}  // namespace sotto
