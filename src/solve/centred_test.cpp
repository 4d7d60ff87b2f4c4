#include "solve/centred.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/decompositions.h"
#include "base/statistics.h"

namespace sotto {
namespace {

// Moments of (1, u₁, u₂, u₃, y), and the noise of a weighted release of three columns, σ = 8.
Eigen::MatrixXd moments() {
  Eigen::MatrixXd m(5, 5);
  m << 1200, -300, 150, 420, -240,  //
      -300, 500, 40, -90, 260,      //
      150, 40, 380, 60, -150,       //
      420, -90, 60, 420, -30,       //
      -240, 260, -150, -30, 410;
  return m;
}

Eigen::MatrixXd noise_sd(double sigma) {
  constexpr double kR2 = 1.5;
  Eigen::MatrixXd sd = Eigen::MatrixXd::Constant(5, 5, sigma * kR2 / std::sqrt(2 * 0.25));
  sd.diagonal().setConstant(sigma * kR2 / std::sqrt(0.25));
  sd.row(0).setConstant(sigma * std::sqrt(kR2 / 0.14));
  sd.row(4).setConstant(sigma * std::sqrt(kR2 / 0.40));
  sd(0, 0) = sigma / std::sqrt(0.05);
  sd(0, 4) = sd(4, 0) = sigma / std::sqrt(0.12);
  sd(4, 4) = sigma / std::sqrt(0.04);
  sd.col(0) = sd.row(0).transpose();
  sd.col(4) = sd.row(4).transpose();
  return sd;
}

using Columns = std::vector<Eigen::Index>;

TableSums table_of(const Eigen::MatrixXd& all, const Eigen::MatrixXd& all_sd, const Columns& x,
                   Eigen::Index y) {
  return {.sums = NoisySums::with_sd(all(x, x), all(x, y), all_sd(x, x), all_sd(x, y)),
          .squares_released = true,
          .sum_of_squares = all(y, y),
          .sigma_c = all_sd(y, y),
          .intercept = true,
          .weighted = true,
          .typical_weight = 1.3};
}

void expect_theta(const TableSums& table, const std::vector<double>& reference) {
  const auto found = centred_noise_aware(table);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->theta.size(), static_cast<Eigen::Index>(reference.size()));
  for (std::size_t k = 0; k < reference.size(); ++k) {
    EXPECT_NEAR(found->theta(static_cast<Eigen::Index>(k)), reference[k], 1e-10) << k;
  }
}

// References: the same formulas in NumPy.
TEST(CentredNoiseAware, AgreesWithTheReference) {
  const Columns x{0, 1, 2, 3};
  expect_theta(table_of(moments(), noise_sd(8), x, 4), {-0.061951981387785515, 0.5535021948362351,
                                                        -0.45836820390833133, 0.16941722335469497});
  expect_theta(
      table_of(moments(), noise_sd(80), x, 4),
      {-0.1632378030099148, 0.09730412685787702, -0.06650350404006515, 0.021579135420076844});
  TableSums without_squares = table_of(moments(), noise_sd(8), x, 4);
  without_squares.squares_released = false;
  expect_theta(without_squares, {-0.06689750839443728, 0.5429757039486409, -0.4463665015448821,
                                 0.16798332635967783});
}

TEST(CentredNoiseAware, AgreesWithTheReferenceWhereTheOldTargetIsAFeature) {
  expect_theta(table_of(moments(), noise_sd(8), {0, 1, 4, 3}, 2),
               {0.0810467593883342, 0.4239558014919052, -0.5517490999688167, 0.10806461942643443});
}

TEST(CentredNoiseAware, IsTheMeanWhereThereAreNoFeatures) {
  expect_theta(table_of(moments(), noise_sd(8), {0}, 4), {-0.19756269742353094});
}

TEST(CentredNoiseAware, IsLeastSquaresAsNoiseVanishesAndRowsGrow) {
  constexpr double kTimes = 1e6;
  const Eigen::MatrixXd m = kTimes * moments();
  const Columns x{0, 1, 2, 3};
  const auto found = centred_noise_aware(table_of(m, 0 * noise_sd(1), x, 4));
  ASSERT_TRUE(found.has_value());
  const Eigen::VectorXd exact = solve_symmetric(m(x, x), m(x, 4));
  EXPECT_LT((found->theta - exact).cwiseAbs().maxCoeff(), 1e-4);
}

// What the noise hides is not made up: the model is the noisy mean and hardly more.
TEST(CentredNoiseAware, IsAboutTheNoisyMeanWhereTheNoiseDrownsTheSlopes) {
  const auto found =
      centred_noise_aware(table_of(moments(), noise_sd(80), {0, 1, 2, 3}, 4)).value();
  EXPECT_NEAR(found.theta(0), -0.15, 0.1) << "-0.2, of which the noise leaves some doubt";
  EXPECT_LT(found.theta.tail(3).norm(), 0.2);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].find("hardly rise above the noise"), std::string::npos);
  for (const double times : {1.0, 100.0}) {  // "no slopes" becomes so unlikely that it is 0
    EXPECT_TRUE(centred_noise_aware(table_of(times * moments(), noise_sd(1), {0, 1, 2, 3}, 4))
                    ->warnings.empty())
        << times;
  }
}

// A column that hardly varies and lies far from the middle is another look at the target's sum:
// where there are no slopes, q = s·ȳ. Without it the mean would hang on t̂ alone.
TEST(CentredNoiseAware, TakesTheMeanFromTheColumnsToo) {
  constexpr double kCount = 4000;
  constexpr double kMean = 0.4;
  constexpr double kColumn = -0.9;
  Eigen::MatrixXd m(3, 3);
  m << 1, kColumn, kMean,                                  //
      kColumn, kColumn * kColumn + 0.01, kColumn * kMean,  //
      kMean, kColumn * kMean, kMean * kMean + 0.1;
  m *= kCount;
  const Eigen::MatrixXd sd = noise_sd(60)({0, 1, 4}, {0, 1, 4});
  StandardNormal normal(7);
  double alone = 0;
  double together = 0;
  for (int k = 0; k < 400; ++k) {
    Eigen::MatrixXd noisy = m;
    for (Eigen::Index r = 0; r < 3; ++r) {
      for (Eigen::Index c = r; c < 3; ++c)
        noisy(r, c) = noisy(c, r) = m(r, c) + sd(r, c) * normal();
    }
    const auto error_at_the_means = [&](const Columns& x) {
      const auto theta = centred_noise_aware(table_of(noisy, sd, x, 2)).value().theta;
      return theta(0) + (x.size() > 1 ? theta(1) * kColumn : 0) - kMean;
    };
    alone += std::pow(error_at_the_means({0}), 2);
    together += std::pow(error_at_the_means({0, 1}), 2);
  }
  EXPECT_LT(together, 0.8 * alone);
}

TEST(CentredNoiseAware, DoesNotDependOnTheOrderOfTheColumns) {
  const auto one = centred_noise_aware(table_of(moments(), noise_sd(8), {0, 1, 2, 3}, 4)).value();
  const auto other = centred_noise_aware(table_of(moments(), noise_sd(8), {0, 3, 1, 2}, 4)).value();
  EXPECT_NEAR(one.theta(1), other.theta(2), 1e-12);
  EXPECT_NEAR(one.theta(3), other.theta(1), 1e-12);
  EXPECT_NEAR(one.theta(0), other.theta(0), 1e-12);
}

TEST(CentredNoiseAware, IsFiniteForAnySums) {
  StandardNormal normal(3);
  for (const double size : {0.0, 1e-3, 1.0, 1e3, 1e9}) {
    for (const double sigma : {0.0, 1e-3, 1.0, 1e6}) {
      Eigen::MatrixXd m(5, 5);
      for (Eigen::Index r = 0; r < 5; ++r) {
        for (Eigen::Index c = r; c < 5; ++c) m(r, c) = m(c, r) = size * normal();
      }
      const auto found = centred_noise_aware(table_of(m, noise_sd(sigma), {0, 1, 2, 3}, 4));
      ASSERT_TRUE(found.has_value());
      EXPECT_TRUE(found->theta.allFinite()) << size << ' ' << sigma;
    }
  }
}

TEST(CentredNoiseAware, RefusesSumsThatAreNotNumbers) {
  TableSums table = table_of(moments(), noise_sd(8), {0, 1, 2, 3}, 4);
  table.sums.b(2) = std::nan("");
  EXPECT_EQ(centred_noise_aware(table).error().name, "E-solve-sums");
}

}  // namespace
}  // namespace sotto
