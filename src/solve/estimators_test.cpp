#include "solve/estimators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <random>

#include "moments/costs.h"

namespace sotto {
namespace {

using testing::HasSubstr;

constexpr Estimator kAll[] = {Estimator::kNoiseAware, Estimator::kExact, Estimator::kPsdRidge,
                              Estimator::kAdassp};

NoisySums sums_of(Eigen::MatrixXd a, Eigen::VectorXd b, double sigma_a = 0, double sigma_b = 0) {
  return {.a = std::move(a), .b = std::move(b), .sigma_a = sigma_a, .sigma_b = sigma_b};
}

NoisySums random_sums(Eigen::Index d, std::mt19937_64& random, double sigma) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(random); });
  return sums_of(10 * (g + g.transpose()),
                 Eigen::VectorXd::NullaryExpr(d, [&] { return 10 * normal(random); }), sigma,
                 sigma);
}

TEST(Estimators, HaveNamesThatComeBack) {
  for (const Estimator estimator : kAll) {
    EXPECT_EQ(*estimator_from_name(to_string(estimator)), estimator);
  }
  EXPECT_EQ(to_string(Estimator::kNoiseAware), "noise-aware");
  EXPECT_EQ(to_string(Estimator::kPsdRidge), "psd-ridge");
  const auto unknown = estimator_from_name("ols");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().name, "E-solve-estimator");
}

TEST(Estimators, GiveFiniteAnswersForIndefiniteSums) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const NoisySums sums = random_sums(1 + seed % 7, random, seed % 3 == 0 ? 0.0 : 5.0);
    for (const Estimator estimator : kAll) {
      const auto found = estimate(estimator, sums);
      ASSERT_TRUE(found.has_value());
      EXPECT_TRUE(found->theta.allFinite()) << to_string(estimator) << " seed " << seed;
    }
  }
}

TEST(Estimators, GiveFiniteAnswersForSingularAndZeroSumsWithAndWithoutNoise) {
  const Eigen::MatrixXd rank_one = Eigen::MatrixXd::Ones(3, 3);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3, -1, 1);
  const Eigen::MatrixXd tiny = 1e-310 * Eigen::MatrixXd::Identity(3, 3);
  for (const Eigen::MatrixXd& a : {rank_one, Eigen::MatrixXd::Zero(3, 3).eval(), tiny,
                                   Eigen::MatrixXd::Identity(3, 3).eval()}) {
    for (const double sigma : {0.0, 1e-170, 1e-160, 1.0, 1e100}) {
      for (const Estimator estimator : kAll) {
        const auto found = estimate(estimator, sums_of(a, b, sigma, sigma));
        ASSERT_TRUE(found.has_value());
        EXPECT_TRUE(found->theta.allFinite()) << to_string(estimator) << " σ " << sigma << '\n'
                                              << a;
        if (found->posterior_variance) {
          EXPECT_TRUE(found->posterior_variance->allFinite());
          EXPECT_GE(found->posterior_variance->minCoeff(), 0);
        }
      }
    }
  }
}

TEST(Estimators, TakeTheLargestSumsWithoutOverflow) {
  const double big = kMaxSum;
  for (const double sigma : {0.0, 1.0, big}) {
    for (const Estimator estimator : kAll) {
      const auto found =
          estimate(estimator, sums_of(Eigen::MatrixXd::Constant(2, 2, big),
                                      Eigen::VectorXd::Constant(2, big), sigma, sigma));
      ASSERT_TRUE(found.has_value());
      EXPECT_TRUE(found->theta.allFinite()) << to_string(estimator) << " σ " << sigma;
    }
  }
}

TEST(Estimators, RefuseSumsThatAreNone) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(2, 2);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(2);
  Eigen::MatrixXd with_nan = a;
  with_nan(0, 0) = std::nan("");
  Eigen::MatrixXd asymmetric = a;
  asymmetric(0, 1) = 1;
  Eigen::VectorXd infinite = b;
  infinite(1) = std::numeric_limits<double>::infinity();
  for (const NoisySums& sums :
       {sums_of(with_nan, b), sums_of(asymmetric, b), sums_of(a, infinite), sums_of(a, b, -1),
        sums_of(a, b, 0, std::nan("")), sums_of(a, Eigen::VectorXd::Ones(3)),
        sums_of(Eigen::MatrixXd(2, 3), b), sums_of(Eigen::MatrixXd(0, 0), Eigen::VectorXd(0)),
        sums_of(1e101 * a, b)}) {
    for (const Estimator estimator : kAll) {
      const auto found = estimate(estimator, sums);
      ASSERT_FALSE(found.has_value());
      EXPECT_EQ(found.error().name, "E-solve-sums");
    }
  }
}

TEST(Estimators, AgreeWithLeastSquaresWhereThereIsNoNoise) {
  const auto family = *paper_family(5, 4, 3);
  const Quadratic total = sum(family);
  const NoisySums sums = from_quadratic(total, 0);
  const Eigen::VectorXd truth = *minimiser(family);
  for (const Estimator estimator : {Estimator::kExact, Estimator::kPsdRidge, Estimator::kAdassp}) {
    const auto found = estimate(estimator, sums);
    EXPECT_LT((found->theta - truth).norm(), 1e-12) << to_string(estimator);
    EXPECT_TRUE(found->warnings.empty());
  }
}

TEST(FromQuadratic, TurnsThePapersSign) {
  Quadratic q{.a = 2 * Eigen::MatrixXd::Identity(1, 1), .b = Eigen::VectorXd::Constant(1, -6)};
  const NoisySums sums = from_quadratic(q, 0.5);
  EXPECT_EQ(sums.b(0), 6);
  EXPECT_DOUBLE_EQ(exact_solution(sums)->theta(0), 3);
  EXPECT_DOUBLE_EQ(sums.invariant_sigma(), 0.5 * std::sqrt(2.0));
}

TEST(Exact, SolvesIndefiniteSumsAndSaysThatTheSolutionIsASaddle) {
  Eigen::MatrixXd a(2, 2);
  a << 0, 1, 1, 0;  // a pivot-free LDLᵀ breaks down here
  const auto found = exact_solution(sums_of(a, Eigen::Vector2d(3, 5)));
  EXPECT_LT((found->theta - Eigen::Vector2d(5, 3)).norm(), 1e-14);
  ASSERT_EQ(found->warnings.size(), 1U);
  EXPECT_THAT(found->warnings[0], HasSubstr("saddle"));
}

TEST(Exact, FallsBackToTheShortestSolutionOfSingularSums) {
  const auto found = exact_solution(sums_of(Eigen::MatrixXd::Ones(2, 2), Eigen::Vector2d(2, 2)));
  EXPECT_LT((found->theta - Eigen::Vector2d(1, 1)).norm(), 1e-14);
  ASSERT_FALSE(found->warnings.empty());
  EXPECT_THAT(found->warnings[0], HasSubstr("singular in 1 of 2"));
}

TEST(PsdRidge, ProjectsAndThenAddsSigmaRootD) {
  Eigen::MatrixXd a = Eigen::Vector2d(8, -3).asDiagonal();
  NoisySums sums = sums_of(a, Eigen::Vector2d(10, 10), 2, 1);
  const double lambda = 2 * std::sqrt(2.0);
  const auto found = psd_ridge(sums);
  EXPECT_DOUBLE_EQ(*found->ridge, lambda);
  EXPECT_NEAR(found->theta(0), 10 / (8 + lambda), 1e-14);
  EXPECT_NEAR(found->theta(1), 10 / lambda, 1e-14);
  sums.shape = NoiseShape::kEntries;
  EXPECT_DOUBLE_EQ(*psd_ridge(sums)->ridge, 4);
}

}  // namespace
}  // namespace sotto
