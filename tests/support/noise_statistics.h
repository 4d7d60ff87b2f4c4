#pragma once

// Goodness of fit for the tests of the samplers. Every check rejects a true
// hypothesis about once in 100 000 seeds, and the tests show that it rejects a
// scale that is wrong by 1 %.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/check.h"
#include "privacy/noise/noise.h"

namespace sotto::noise_test {

constexpr double kDeviations = 4.5;  // how many standard deviations are still believed

using Pmf = std::function<double(long)>;

inline Integer power(unsigned base, unsigned exponent) {
  Integer result;
  mpz_ui_pow_ui(result.get_mpz_t(), base, exponent);
  return result;
}

inline std::vector<Integer> draws(std::size_t count, const std::function<Integer()>& draw) {
  std::vector<Integer> result(count);
  for (Integer& value : result) value = draw();
  return result;
}

// value/unit as a double, for numbers far beyond a double's range.
inline double in_units(const Integer& value, const Integer& unit) {
  long value_exponent = 0;
  long unit_exponent = 0;
  const double value_part = mpz_get_d_2exp(&value_exponent, value.get_mpz_t());
  const double unit_part = mpz_get_d_2exp(&unit_exponent, unit.get_mpz_t());
  return std::ldexp(value_part / unit_part, static_cast<int>(value_exponent - unit_exponent));
}

inline std::vector<double> in_units(const std::vector<Integer>& values, const Integer& unit) {
  std::vector<double> result;
  for (const Integer& value : values) result.push_back(in_units(value, unit));
  return result;
}

// Mean 0 and the variance as claimed; kurtosis is the law's E x⁴/(E x²)², 3 for a normal law,
// because the sample variance has the relative standard deviation √((kurtosis − 1)/N).
inline bool moments_fit(const std::vector<double>& values, double variance, double kurtosis = 3) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  const bool mean_fits = std::abs(sum / count) < kDeviations * std::sqrt(variance / count);
  const bool variance_fits =
      std::abs(squares / count / variance - 1) < kDeviations * std::sqrt((kurtosis - 1) / count);
  return mean_fits && variance_fits;
}

// Pearson's χ² over bins of at least 1/40 of the mass each (the last takes the
// rest), its tail by Wilson and Hilferty. `weight` is a pmf up to a factor.
inline bool chi_square_fits(const std::vector<Integer>& values, long low, long high,
                            const Pmf& weight) {
  std::vector<double> counts(static_cast<std::size_t>(high - low + 1));
  for (const Integer& value : values) {
    if (value < low || value > high) return false;
    counts[static_cast<std::size_t>(value.get_si() - low)] += 1;
  }
  double total = 0;
  for (long k = low; k <= high; ++k) total += weight(k);
  const auto count = static_cast<double>(values.size());
  double statistic = 0;
  double bins = 0;
  double expected = 0;
  double seen = 0;
  double expected_left = count;
  for (long k = low; k <= high; ++k) {
    expected += count * weight(k) / total;
    seen += counts[static_cast<std::size_t>(k - low)];
    const bool is_last = k == high;
    if (!is_last && (expected < count / 40 || expected_left - expected < count / 40)) continue;
    statistic += (seen - expected) * (seen - expected) / expected;
    bins += 1;
    expected_left -= expected;
    expected = seen = 0;
  }
  const double freedom = bins - 1;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread) < kDeviations;
}

// Kolmogorov and Smirnov: √N·sup|F_N − F| < 2.5 has probability 1 − 2e^{−12.5} for the true F.
inline bool distribution_fits(std::vector<double> values,
                              const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / count,
                         static_cast<double>(i + 1) / count - expected});
  }
  return std::sqrt(count) * distance < 2.5;
}

inline double normal_cdf(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

inline Pmf gaussian_weight(double sigma) {
  return [sigma](long k) {
    const double z = static_cast<double>(k) / sigma;
    return std::exp(-z * z / 2);
  };
}

inline Pmf laplace_weight(double scale) {
  return [scale](long k) { return std::exp(-std::abs(static_cast<double>(k)) / scale); };
}

// E x^power under a pmf on {−bound, …, bound} that is given up to a factor.
inline double moment(const Pmf& weight, long bound, int power) {
  double total = 0;
  double sum = 0;
  for (long k = -bound; k <= bound; ++k) {
    total += weight(k);
    sum += weight(k) * std::pow(static_cast<double>(k), power);
  }
  return sum / total;
}

// The checks for draws of the discrete Gaussian, small σ: against the enumerated law.
inline bool is_small_gaussian(const std::vector<Integer>& values, double sigma) {
  const auto reach = static_cast<long>(40 * sigma);
  return chi_square_fits(values, -reach, reach, gaussian_weight(sigma)) &&
         moments_fit(in_units(values, 1), moment(gaussian_weight(sigma), reach, 2));
}

// The same for large σ, where the lattice is too fine to see. `factor` is 1 unless
// the test wants to claim a wrong σ.
inline bool is_large_gaussian(const std::vector<Integer>& values, const Integer& sigma,
                              double factor = 1) {
  std::vector<double> z = in_units(values, sigma);
  for (double& value : z) value /= factor;
  return moments_fit(z, 1) && distribution_fits(z, normal_cdf);
}

inline bool is_truncated_laplace(const std::vector<Integer>& values, double scale, long bound) {
  const Pmf weight = laplace_weight(scale);
  const double variance = moment(weight, bound, 2);
  const double kurtosis = moment(weight, bound, 4) / (variance * variance);
  return chi_square_fits(values, -bound, bound, weight) &&
         moments_fit(in_units(values, 1), variance, kurtosis);
}

// The smallest δ for which truncated_laplace(t, K) is (M/t, δ)-private when the
// value it is added to moves by up to M grid steps:
//
//     δ = q^{K−M+1}(1 − q^M) / (1 + q − 2q^{K+1}),   q = e^{−1/t}.
//
// 0 ≤ M ≤ K. Never above the continuous law's. docs/proofs/discrete_truncated_laplace.md
//
// 1 + q − 2q^{K+1} is taken as (1 − q^{K+1}) + q(1 − q^K): no term cancels
// another, whether 1/t is 2⁻⁴⁰ or 40.
inline double discrete_truncated_laplace_delta(const Rational& scale, const Integer& bound,
                                               const Integer& shift) {
  check(sgn(scale) > 0, "a scale is positive");
  check(sgn(shift) >= 0 && shift <= bound, "a shift is within the bound of its noise");
  const auto over_scale = [&](const Integer& k) { return nearest_double(Rational(k) / scale); };
  const double mass = std::exp(-over_scale(bound - shift + 1)) * -std::expm1(-over_scale(shift));
  const double total = -std::expm1(-over_scale(bound + 1)) -
                       std::exp(-over_scale(1)) * std::expm1(-over_scale(bound));
  return mass / total;
}

}  // namespace sotto::noise_test
