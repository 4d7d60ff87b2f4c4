#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "solve/inference.h"

namespace sotto {
namespace {

struct Coverage {
  int covered = 0;
  int naive_covered = 0;
  int intervals = 0;
  int refused = 0;
  [[nodiscard]] double rate() const {
    return static_cast<double>(covered) / std::max(intervals, 1);
  }
  [[nodiscard]] double naive_rate() const {
    return static_cast<double>(naive_covered) / std::max(intervals, 1);
  }
};

struct Setting {
  Eigen::Index features;
  int rows;
  double sigma;
  double residual_sd;
  double v = 0.5;  // Σy²'s weight: its noise has σ/v
};

// 95 % intervals around θ̃ over simulated tables: intercept and features in
// [−1, 1]/√d, so that ‖x‖ ≤ 1, and noise as a run adds it.
Coverage coverage(const Setting& setting, int tables, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const Eigen::Index d = setting.features;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const Eigen::VectorXd truth = Eigen::VectorXd::LinSpaced(d, -0.4, 0.5);
  Coverage found;
  for (int table = 0; table < tables; ++table) {
    Eigen::MatrixXd x(setting.rows, d);
    for (double& entry : x.reshaped()) entry = scale * (2 * uniform(random) - 1);
    x.col(0).setConstant(scale);
    Eigen::VectorXd y = x * truth;
    for (double& entry : y) entry += setting.residual_sd * normal(random);

    NoisySums sums{.a = x.transpose() * x, .b = x.transpose() * y};
    sums.sigma_a = sums.sigma_b = setting.sigma;
    for (Eigen::Index r = 0; r < d; ++r) {
      sums.a(r, r) += setting.sigma * normal(random);
      for (Eigen::Index c = r + 1; c < d; ++c) {
        sums.a(r, c) += setting.sigma / std::sqrt(2.0) * normal(random);
        sums.a(c, r) = sums.a(r, c);
      }
      sums.b(r) += setting.sigma * normal(random);
    }
    SumOfSquares squares{.sigma = setting.sigma / setting.v};
    squares.value = y.squaredNorm() + squares.sigma * normal(random);
    const auto errors = plug_in_errors(sums, squares, setting.rows);
    if (!errors) {
      ++found.refused;
      continue;
    }
    sums.sigma_a = sums.sigma_b = squares.sigma =
        0;  // what someone would state who forgets the noise
    const auto naive = plug_in_errors(sums, squares, setting.rows);
    for (Eigen::Index k = 0; k < d; ++k) {
      const double off = std::abs(errors->theta(k) - truth(k));
      const double share = errors->sampling_covariance(k, k) / errors->covariance(k, k);
      const double factor = interval_factor(0.95, degrees_of_freedom(*errors, share));
      found.covered += off <= factor * errors->standard_error(k) ? 1 : 0;
      found.naive_covered += off <= 1.959964 * naive->standard_error(k) ? 1 : 0;
      ++found.intervals;
    }
  }
  std::cout << "d " << d << " rows " << setting.rows << " σ " << setting.sigma << ": coverage "
            << found.rate() << ", naive " << found.naive_rate() << ", refused " << found.refused
            << " of " << tables << '\n';
  return found;
}

TEST(PlugInErrors, CoverTheTruthInNineteenOfTwentyTables) {
  const int tables = 2000;
  for (const Setting& setting :
       {Setting{3, 1500, 7, 0.2}, Setting{5, 2000, 5, 0.3}, Setting{5, 4000, 25, 0.15},
        Setting{8, 6000, 7, 0.25}, Setting{5, 4000, 38, 0.2}, Setting{8, 8000, 33, 0.2},
        // Much budget and few rows: s² is mostly noise, and yet counts.
        Setting{1, 200, 0.9, 0.1}}) {
    const Coverage found = coverage(setting, tables, 21);
    ASSERT_GT(found.intervals, 1000);
    EXPECT_GE(found.rate(), 0.93) << setting.features;
    EXPECT_LE(found.rate(), 0.98) << setting.features;
    EXPECT_LT(found.naive_rate(), 0.93) << setting.features;
  }
}

TEST(PlugInErrors, RefuseMostTablesThatTheNoiseDrowns) {
  const Coverage found = coverage({5, 500, 20, 0.2}, 500, 22);
  EXPECT_GT(found.refused, 450);
}

}  // namespace
}  // namespace sotto
