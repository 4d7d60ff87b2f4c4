#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solve/fit.h"
#include "support/tables.h"

namespace sotto {
namespace {

// A table of d features, and noise as a run adds it: how often the interval has
// the share that the model truly explains, and how far off the estimate is on average.
struct Honesty {
  double covered = 0;
  double bias = 0;
  double naive_bias = 0;  // of the estimate without Stein's correction
  double share = 0;
};

Honesty honesty(Estimator estimator, double rows, double sigma, int trials) {
  constexpr Eigen::Index d = 6;
  std::mt19937_64 random(31);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd c = Eigen::MatrixXd::Identity(d, d) * 0.04;
  c(0, 0) = 1.0 / 6;
  Eigen::VectorXd theta(d);
  theta << -0.6, 0.5, -0.4, 0.3, 0.2, -0.5;
  TableSums truth;
  truth.sums.a = rows * c;
  truth.sums.b = truth.sums.a * theta;
  truth.sum_of_squares = theta.dot(truth.sums.b) + 0.03 * rows;
  const double total = error_of_the_mean(truth);
  Honesty found;
  for (int trial = 0; trial < trials; ++trial) {
    TableSums noisy = truth;
    noisy.sums.sigma_a = noisy.sums.sigma_b = noisy.sigma_c = sigma;
    for (Eigen::Index r = 0; r < d; ++r) {
      noisy.sums.a(r, r) += sigma * normal(random);
      for (Eigen::Index k = r + 1; k < d; ++k) {
        noisy.sums.a(r, k) += sigma / std::sqrt(2.0) * normal(random);
        noisy.sums.a(k, r) = noisy.sums.a(r, k);
      }
      noisy.sums.b(r) += sigma * normal(random);
    }
    noisy.sum_of_squares += sigma * normal(random);
    const Eigen::VectorXd fitted = estimate(estimator, noisy.sums).value().theta;
    const double share = 1 - squared_error(truth, fitted) / total;
    const auto judged = explained_variance(
        [&](const NoisySums& sums) { return estimate(estimator, sums); }, fitted, noisy);
    EXPECT_TRUE(judged.has_value());
    if (!judged) continue;
    found.covered += judged->low <= share && share <= judged->high ? 1.0 / trials : 0;
    found.bias += (judged->share - share) / trials;
    const double naive = 1 - squared_error(noisy, fitted) / error_of_the_mean(noisy);
    found.naive_bias += (naive - share) / trials;
    found.share += share / trials;
  }
  return found;
}

TEST(ExplainedVariance, IsRightOnAverageWhereTheSumsAloneWouldFlatterTheModel) {
  for (const Estimator estimator : {Estimator::kNoiseAware, Estimator::kPsdRidge}) {
    const Honesty found = honesty(estimator, 3000, 10, 150);
    EXPECT_LT(std::abs(found.bias), 0.04) << to_string(estimator);
    EXPECT_GT(found.naive_bias, 0.05) << to_string(estimator);
    EXPECT_GE(found.covered, 0.88) << to_string(estimator) << " explains " << found.share;
  }
}

TEST(ExplainedVariance, HasIntervalsThatHoldWhereTheNoiseIsSmall) {
  const Honesty found = honesty(Estimator::kNoiseAware, 30'000, 10, 100);
  EXPECT_GE(found.covered, 0.90);
  EXPECT_LT(std::abs(found.bias), 0.01);
}

TEST(ExplainedVariance, SaysNothingWhereTheTargetIsLostInTheNoise) {
  TableSums table;
  table.sums = {.a = Eigen::MatrixXd::Identity(2, 2) * 100,
                .b = Eigen::Vector2d(1, 1),
                .sigma_a = 5,
                .sigma_b = 5,
                .shape = NoiseShape::kSvec};
  table.sum_of_squares = 3;
  table.sigma_c = 5;
  EXPECT_FALSE(explained_variance(exact_solution, table.sums.b / 100, table).has_value());
  table.sum_of_squares = 300;
  EXPECT_TRUE(explained_variance(exact_solution, table.sums.b / 100, table).has_value());
  table.sums.a(0, 0) = 10;
  EXPECT_FALSE(explained_variance(exact_solution, table.sums.b / 100, table).has_value());
}

}  // namespace
}  // namespace sotto
