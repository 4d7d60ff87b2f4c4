#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/decompositions.h"
#include "solve/fit.h"

namespace sotto {
namespace {

NoisySums sums_with_noise(double sigma_a, double sigma_b) {
  NoisySums sums{.a = Eigen::MatrixXd(3, 3), .b = Eigen::Vector3d(61, -23, 9.5)};
  sums.a << 220, 35, -12, 35, 90, 18, -12, 18, 41;
  sums.sigma_a = sigma_a;
  sums.sigma_b = sigma_b;
  return sums;
}

TEST(PlugInErrors, AgreeWithTheReference) {
  // reference: the posterior of the residual sum by quadrature in 40-digit arithmetic.
  const auto found = plug_in_errors(sums_with_noise(7.3, 5.2), {60, 14.6}, 900);
  ASSERT_TRUE(found.has_value());
  const Eigen::Vector3d theta(0.39193313349893916, -0.523197148962195, 0.5761157630074825);
  const Eigen::Vector3d error(0.05009275512844197, 0.12143532824878535, 0.22649316029586397);
  EXPECT_LT((found->theta - theta).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((found->standard_error - error).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR(found->residual_variance, 0.013593117073684742, 1e-13);
  EXPECT_NEAR(found->residual_variance_sd, 0.01549062532540704, 1e-13);
}

TEST(PlugInErrors, AreTheOrdinaryOnesWithoutNoise) {
  const NoisySums sums = sums_with_noise(0, 0);
  const auto found = plug_in_errors(sums, {60, 0}, 900);
  EXPECT_NEAR(found->residual_variance, 0.020719559288587666, 1e-14);
  EXPECT_NEAR(found->residual_variance_sd, 0.0009783613551069856, 1e-14);
  const Eigen::MatrixXd inverse = sotto::inverse(sums.a);
  EXPECT_LT((found->covariance - found->residual_variance * inverse).norm(), 1e-15);
}

// σ_c = 14.6, σ_r = 18.06: the less r says, the more of its noise counts.
TEST(PlugInErrors, TakeTheResidualVarianceForAsLargeAsItsNoiseAllows) {
  // reference: 40-digit arithmetic, by quadrature.
  const auto variance = [](double sum_of_squares, double sigma) {
    return plug_in_errors(sums_with_noise(7.3, 5.2), {sum_of_squares, sigma}, 900)
        ->residual_variance;
  };
  EXPECT_NEAR(variance(300, 14.6), 0.290270654285995, 1e-13);  // r = 14σ_r: hardly anything
  EXPECT_NEAR(variance(60, 0), 0.016351617262936536, 1e-13);   // Â's and b̂'s noise alone
  EXPECT_NEAR(variance(1, 14.6), 0.001988660797831266, 1e-13);
  EXPECT_NEAR(variance(-50, 14.6), 0.000977769147098523, 1e-12);
  EXPECT_NEAR(variance(-400, 14.6), 0.00020668085363001603, 1e-12);
}

TEST(PlugInErrors, TakeTheResidualVarianceWithoutAJumpWhereTheRuleChanges) {
  const auto variance = [](double r) { return solve::residual_variance(r, 1, 100).value; };
  for (const double r : {-5.0, 9.0, 1000.0}) {
    EXPECT_NEAR(variance(r - 1e-9) / variance(r + 1e-9), 1, 1e-8) << r;
  }
  for (double r = -40; r < 40; r += 0.25) EXPECT_LT(variance(r), variance(r + 0.25)) << r;
}

TEST(PlugInErrors, KeepTheResidualVarianceOffZero) {
  EXPECT_DOUBLE_EQ(plug_in_errors(sums_with_noise(0, 0), {41.0, 0}, 900)->residual_variance, 1e-12);
  const double drowned =
      plug_in_errors(sums_with_noise(7.3, 5.2), {-1e9, 14.6}, 900)->residual_variance;
  EXPECT_GT(drowned, 0);
  EXPECT_LT(drowned, 1e-6);
}

TEST(PlugInErrors, AreRefusedWhereRowsAreFewerThanCoefficients) {
  EXPECT_TRUE(plug_in_errors(sums_with_noise(1, 1), {60, 1}, 4).has_value());
  const auto few = plug_in_errors(sums_with_noise(1, 1), {60, 1}, 3.5);
  ASSERT_FALSE(few.has_value());
  EXPECT_EQ(few.error().name, "E-errors-rows");
}

// A column with much noise of its own is judged by its own noise, not the others by it.
TEST(PlugInErrors, AreNotRefusedForOneNoisyColumnThatIsFarAboveItsNoise) {
  NoisySums sums = sums_with_noise(0, 0);
  sums.shape = NoiseShape::kOwn;
  sums.own_sd_b = Eigen::Vector3d::Ones();
  sums.own_sd_a = Eigen::MatrixXd::Constant(3, 3, 0.7);
  sums.own_sd_a.diagonal() << 30, 1, 1;
  EXPECT_LT(solve::SpectrumOfSums(sums.a).values(0), 2 * sums.invariant_sigma() * std::sqrt(3.0));
  EXPECT_TRUE(plug_in_errors(sums, {60, 1}, 900).has_value());
  sums.own_sd_a.diagonal() << 90, 1, 1;
  EXPECT_EQ(plug_in_errors(sums, {60, 1}, 900).error().name, "E-errors-noise");
  sums.a(2, 2) = -5;  // what is needed is the noise, however far below it the sums are
  EXPECT_THAT(plug_in_errors(sums, {60, 1}, 900).error().what,
              testing::Not(testing::HasSubstr("e-")));
}

TEST(PlugInErrors, AreRefusedWithTheReasonWhereNoiseIsNotSmallBesideTheData) {
  // λ_min of the reference's A is 32.24: the limit 2σ√3 passes it at σ = 9.307.
  EXPECT_TRUE(plug_in_errors(sums_with_noise(9.3, 5), {60, 14.6}, 900).has_value());
  const auto refused = plug_in_errors(sums_with_noise(9.4, 5), {60, 14.6}, 900);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "E-errors-noise");
  EXPECT_EQ(refused.error().status, Status::kFailed);
  EXPECT_THAT(refused.error().what, testing::HasSubstr("smallest eigenvalue is 32.24"));
  EXPECT_THAT(refused.error().what, testing::HasSubstr("32.56"));
}

TEST(PlugInErrors, AreRefusedForSingularSumsEvenWithoutNoise) {
  NoisySums sums = sums_with_noise(0, 0);
  for (const Eigen::MatrixXd& a :
       {Eigen::MatrixXd::Ones(3, 3).eval(), Eigen::MatrixXd::Zero(3, 3).eval()}) {
    sums.a = a;
    EXPECT_EQ(plug_in_errors(sums, {60, 0}, 900).error().name, "E-errors-noise");
  }
}

TEST(PlugInErrors, RefuseNoiseThatNobodyCanComputeWith) {
  for (const double sigma : {1e101, 1e200, 1e308, -1.0, std::nan("")}) {
    const auto errors = plug_in_errors(sums_with_noise(1, 1), {60, sigma}, 900);
    EXPECT_EQ(errors ? "none" : errors.error().name, "E-solve-sums") << sigma;
  }
}

TEST(PlugInErrors, RefuseRowsThatAreNone) {
  for (const double rows : {0.0, -3.0, std::nan("")}) {
    EXPECT_EQ(plug_in_errors(sums_with_noise(1, 1), {60, 1}, rows).error().name, "E-errors-rows");
  }
  EXPECT_EQ(plug_in_errors(sums_with_noise(1, 1), {std::nan(""), 1}, 900).error().name,
            "E-errors-rows");
}

TEST(PlugInErrors, CountTheNoiseOfBothShapesAsASimulationDoes) {
  // Cov(Eθ) by 40 000 draws, against what the formula adds beside s²Â⁻¹.
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  for (const NoiseShape shape : {NoiseShape::kSvec, NoiseShape::kEntries}) {
    NoisySums sums = sums_with_noise(2, 0);
    sums.shape = shape;
    const auto found = plug_in_errors(sums, {60, 0}, 900);
    const Eigen::MatrixXd through =
        sums.a * found->covariance * sums.a - found->residual_variance * sums.a;
    const double off_diagonal = shape == NoiseShape::kSvec ? 2 / std::sqrt(2.0) : 2;
    Eigen::MatrixXd simulated = Eigen::MatrixXd::Zero(3, 3);
    const int draws = 40000;
    for (int draw = 0; draw < draws; ++draw) {
      Eigen::MatrixXd e(3, 3);
      for (int r = 0; r < 3; ++r) {
        e(r, r) = 2 * normal(random);
        for (int c = r + 1; c < 3; ++c) e(r, c) = e(c, r) = off_diagonal * normal(random);
      }
      const Eigen::VectorXd moved = e * found->theta;
      simulated += moved * moved.transpose() / draws;
    }
    EXPECT_LT((simulated - through).norm(), 0.03 * through.norm());
  }
}

}  // namespace
}  // namespace sotto
