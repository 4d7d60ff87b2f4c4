#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/decompositions.h"
#include "solve/estimators.h"
#include "support/central_adassp.h"

namespace sotto {
namespace {

NoisySums svec_sums(Eigen::MatrixXd a, Eigen::VectorXd b, double sigma) {
  return {.a = std::move(a), .b = std::move(b), .sigma_a = sigma, .sigma_b = sigma};
}

// The largest eigenvalue's (1 − ϱ)-quantile over draws of E with these two variances.
double exceedance(Eigen::Index d, double diagonal_sd, double off_diagonal_sd, double bound) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  const int trials = 4000;
  int above = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Eigen::MatrixXd e(d, d);
    for (Eigen::Index r = 0; r < d; ++r) {
      e(r, r) = diagonal_sd * normal(random);
      for (Eigen::Index c = r + 1; c < d; ++c) e(r, c) = e(c, r) = off_diagonal_sd * normal(random);
    }
    if (-solve::SpectrumOfSums(e).values(0) > bound) ++above;
  }
  return static_cast<double>(above) / trials;
}

TEST(NoiseBound, IsRarelyExceededByEitherShapeOfNoise) {
  for (const Eigen::Index d : {1, 2, 5, 12}) {
    NoisySums sums = svec_sums(Eigen::MatrixXd::Identity(d, d), Eigen::VectorXd::Ones(d), 2);
    const double svec = solve::noise_bound(sums.invariant_sigma(), d, 0.05);
    EXPECT_LE(exceedance(d, 2, 2 / std::sqrt(2.0), svec), 0.05) << d;
    sums.shape = NoiseShape::kEntries;
    const double entries = solve::noise_bound(sums.invariant_sigma(), d, 0.05);
    EXPECT_LE(exceedance(d, 2, 2, entries), 0.05) << d;
    EXPECT_GT(exceedance(d, 2, 2, 0.3 * entries), 0.05) << d;
  }
}

TEST(Adassp, AddsNoRidgeWhereTheDataStandFarAboveTheNoise) {
  const double bound = solve::noise_bound(1, 2, solve::kAdasspFailure);
  const auto at = [&](double smallest) {
    const Eigen::MatrixXd a = Eigen::Vector2d(1000, smallest).asDiagonal();
    return *adassp(svec_sums(a, Eigen::Vector2d(1, 1), 1))->ridge;
  };
  EXPECT_EQ(at(2 * bound + 1e-9), 0);
  EXPECT_NEAR(at(1.5 * bound), 0.5 * bound, 1e-12);
  EXPECT_NEAR(at(bound), bound, 1e-12);
  EXPECT_NEAR(at(0), bound, 1e-12);
  EXPECT_NEAR(at(-5 * bound), bound, 1e-12);
}

TEST(Adassp, SolvesTheProjectedAndRidgedSums) {
  const Eigen::MatrixXd a = Eigen::Vector2d(7, -100).asDiagonal();
  const auto found = adassp(svec_sums(a, Eigen::Vector2d(3, 4), 1));
  const double bound = solve::noise_bound(1, 2, solve::kAdasspFailure);
  EXPECT_NEAR(found->theta(0), 3 / (7 + bound), 1e-14);
  EXPECT_NEAR(found->theta(1), 4 / bound, 1e-14);
}

TEST(AdasspNoise, IsAsPublished) {
  // ε = 1, δ = 1e-6: √ln(6e6)·3 and ln(6e6)·3.
  const auto noise = AdasspNoise::published(1, 1e-6);
  EXPECT_NEAR(noise->sigma, 3 * std::sqrt(std::log(6e6)), 1e-12);
  EXPECT_NEAR(noise->margin, 3 * std::log(6e6), 1e-12);
}

TEST(AdasspNoise, WithTightAccountingIsThatOfOneReleaseThatMovesByRootThree) {
  const auto noise = AdasspNoise::tight(0.25, 1e-6);
  EXPECT_NEAR(std::sqrt(3 / (noise->sigma * noise->sigma)), 0.25, 1e-15);
  EXPECT_NEAR(noise->margin, noise->sigma * std::sqrt(std::log(6e6)), 1e-12);
}

TEST(AdasspNoise, RefusesBudgetsThatAreNone) {
  for (const auto& [epsilon, delta] : std::vector<std::pair<double, double>>{
           {0, 1e-6}, {-1, 1e-6}, {1, 0}, {1, 1}, {std::nan(""), 0.1}, {1, std::nan("")}}) {
    EXPECT_EQ(AdasspNoise::published(epsilon, delta).error().name, "E-adassp-budget");
    EXPECT_EQ(AdasspNoise::tight(epsilon, delta).error().name, "E-adassp-budget");
  }
}

TEST(AdasspCentral, IsLeastSquaresWithoutNoise) {
  Eigen::MatrixXd a(2, 2);
  a << 5, 1, 1, 3;
  const Eigen::Vector2d b(1, 2);
  const auto found = adassp_central(svec_sums(a, b, 0), AdasspNoise{}, [] { return 1.0; });
  EXPECT_EQ(*found->ridge, 0);
  EXPECT_LT((found->theta - solve_symmetric(a, b)).norm(), 1e-14);
}

TEST(AdasspCentral, FollowsTheAlgorithmDrawByDraw) {
  // Every draw is 1, σ = 2, margin = 3: λ̃_min = 10 + 2 − 3, Â = A + 2·𝟙𝟙ᵀ, b̂ = b + 2.
  Eigen::MatrixXd a(2, 2);
  a << 10, 0, 0, 30;
  const auto found = adassp_central(svec_sums(a, Eigen::Vector2d(4, 5), 0),
                                    AdasspNoise{.sigma = 2, .margin = 3}, [] { return 1.0; });
  const double lambda = 2 * std::sqrt(2 * std::log(8 / 0.05)) - 9;
  ASSERT_LT(lambda, 0);  // so the ridge is 0 here
  EXPECT_EQ(*found->ridge, 0);
  Eigen::MatrixXd noisy(2, 2);
  noisy << 12, 2, 2, 32;
  EXPECT_LT((found->theta - solve_symmetric(noisy, Eigen::Vector2d(6, 7))).norm(), 1e-14);

  const auto ridged = adassp_central(svec_sums(a, Eigen::Vector2d(4, 5), 0),
                                     AdasspNoise{.sigma = 2, .margin = 30}, [] { return 1.0; });
  EXPECT_NEAR(*ridged->ridge, lambda + 9, 1e-12);
}

TEST(AdasspCentral, HasIndependentNoiseOfTheStatedSizeOnEveryReleasedNumber) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int draws = 0;
  const auto counted = [&] {
    ++draws;
    return normal(random);
  };
  const Eigen::Index d = 4;
  (void)adassp_central(
      svec_sums(100 * Eigen::MatrixXd::Identity(d, d), Eigen::VectorXd::Ones(d), 0),
      AdasspNoise{.sigma = 1, .margin = 1}, counted);
  EXPECT_EQ(draws, 1 + 10 + 4);
}

}  // namespace
}  // namespace sotto
