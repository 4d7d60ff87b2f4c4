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
  // reference: 60-digit arithmetic, the mean of the residual sum above 0 by quadrature.
  const auto found = plug_in_errors(sums_with_noise(7.3, 5.2), {60, 14.6}, 900);
  ASSERT_TRUE(found.has_value());
  const Eigen::Vector3d theta(0.39193313349893916, -0.523197148962195, 0.5761157630074825);
  const Eigen::Vector3d error(0.0507285741730748416, 0.122129352779582023, 0.22727275484091397);
  EXPECT_LT((found->theta - theta).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((found->standard_error - error).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR(found->residual_variance, 0.0262047364052934225, 1e-14);
}

TEST(PlugInErrors, AreTheOrdinaryOnesWithoutNoise) {
  const NoisySums sums = sums_with_noise(0, 0);
  const auto found = plug_in_errors(sums, {60, 0}, 900);
  EXPECT_NEAR(found->residual_variance, 0.0206504940909590457, 1e-14);
  const Eigen::MatrixXd inverse = sotto::inverse(sums.a);
  EXPECT_LT((found->covariance - found->residual_variance * inverse).norm(), 1e-15);
}

// σ_c = 14.6, σ_r = 18.06: the less r says, the more of its noise counts.
TEST(PlugInErrors, TakeTheResidualVarianceForAsLargeAsItsNoiseAllows) {
  // reference: 60-digit arithmetic, by quadrature.
  const auto variance = [](double sum_of_squares, double sigma) {
    return plug_in_errors(sums_with_noise(7.3, 5.2), {sum_of_squares, sigma}, 900)
        ->residual_variance;
  };
  EXPECT_NEAR(variance(300, 14.6), 0.287317160757625712, 1e-14);  // r = 14σ_r: nothing added
  EXPECT_NEAR(variance(60, 0), 0.0217120975249462028, 1e-14);     // Â's and b̂'s noise alone
  EXPECT_NEAR(variance(1, 14.6), 0.00697299272250429053, 1e-13);
  EXPECT_NEAR(variance(-50, 14.6), 0.00370070004896481586, 1e-13);
  EXPECT_NEAR(variance(-541, 14.6), variance(-542, 14.6), 1e-5) << "where the formula changes";
  EXPECT_GT(variance(-541, 14.6), variance(-10'000, 14.6));
}

TEST(PlugInErrors, KeepTheResidualVarianceOffZero) {
  for (const double sum_of_squares : {41.5, 1.0, -50.0}) {
    const auto found = plug_in_errors(sums_with_noise(0, 0), {sum_of_squares, 0}, 900);
    EXPECT_DOUBLE_EQ(found->residual_variance, 1e-4);
  }
  EXPECT_DOUBLE_EQ(plug_in_errors(sums_with_noise(7.3, 5.2), {-1e9, 14.6}, 900)->residual_variance,
                   1e-4);
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
