#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solve/fit.h"

// The plug-in estimate with its errors, where the noise is small enough for the expansion.
namespace sotto {
namespace {

// s² is at least this, whatever the sums say; |y| ≤ 1.
constexpr double kSmallestResidualVariance = 1e-4;

// E[x | x ≥ 0] for x ~ N(value, σ²): value + σ·φ(z)/Φ(z), z = value/σ.
double mean_above_zero(double value, double sigma) {
  constexpr double kFarBelow = -30;  // from here on σ/−z is it to 0.3 %
  if (sigma == 0) return std::max(value, 0.0);
  const double z = value / sigma;
  if (z < kFarBelow) return sigma / -z;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return value + sigma * density / (std::erfc(-z / std::numbers::sqrt2) / 2);
}

// How many times the rows, or ε, would have to be what they are: Â's eigenvalues grow with the
// rows, and σ falls with ε.
std::string much_more(double smallest, double needed) {
  constexpr double kTooFarToTell = 20;
  if (smallest * kTooFarToTell < needed) return "Many times the rows or the ε";
  return fmt::format("About {:.1f} times the rows or the ε", std::max(needed / smallest, 1.1));
}

}  // namespace

double solve::residual_variance(double r, double noise, double rows) {
  return std::max(mean_above_zero(r, noise) / rows, kSmallestResidualVariance);
}

Result<PlugInErrors> plug_in_errors(const NoisySums& sums, SumOfSquares squares, double rows) {
  SOTTO_TRY(validate(sums));
  if (!std::isfinite(squares.value) || !std::isfinite(rows) || rows <= 0) {
    return failed("E-errors-rows",
                     fmt::format("{} rows whose squared targets add up to {}", rows, squares.value),
                     "a positive number of rows and a finite sum");
  }
  const solve::SpectrumOfSums spectrum(sums.a);
  const double smallest = spectrum.values(0);
  const auto size = static_cast<double>(sums.size());
  const double noise = 2 * sums.invariant_sigma() * std::sqrt(size);
  const double rounding =
      size * std::numeric_limits<double>::epsilon() * spectrum.values.cwiseAbs().maxCoeff();
  const double needed = std::max(noise, rounding);
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
  const Eigen::VectorXd inverse_values = spectrum.values.cwiseInverse();
  const Eigen::MatrixXd inverse =
      spectrum.vectors * inverse_values.asDiagonal() * spectrum.vectors.transpose();

  PlugInErrors found;
  found.theta = inverse * sums.b;
  Eigen::MatrixXd middle = noise_seen_through(sums.sd_a(), found.theta);
  const Eigen::VectorXd variance_b = sums.sd_b().cwiseAbs2();
  const double residual_noise =
      std::sqrt(squares.sigma * squares.sigma + 4 * variance_b.dot(found.theta.cwiseAbs2()) +
                found.theta.dot(middle * found.theta));
  const double residuals = squares.value - found.theta.dot(sums.b);
  found.residual_variance = solve::residual_variance(residuals, residual_noise, rows);
  middle.diagonal() += variance_b;
  found.covariance = found.residual_variance * inverse + inverse * middle * inverse;
  found.log_det_noiseless = (found.residual_variance * inverse_values).array().log().sum();
  found.standard_error = found.covariance.diagonal().cwiseSqrt();
  return found;
}

}  // namespace sotto
