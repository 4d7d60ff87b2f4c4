#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "base/decompositions.h"
#include "solve/estimators.h"

namespace sotto {
namespace {

NoisySums reference_sums(double sigma_a, double sigma_b) {
  NoisySums sums{.a = Eigen::MatrixXd(3, 3), .b = Eigen::Vector3d(61, -23, 9.5)};
  sums.a << 220, 35, -12, 35, 90, 18, -12, 18, 41;
  sums.sigma_a = sigma_a;
  sums.sigma_b = sigma_b;
  return sums;
}

// Rotation-invariant noise: Var E_ii = σ², Var E_ij = σ²/2.
Eigen::MatrixXd svec_noise(Eigen::Index d, double sigma, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(random); });
  return sigma / 2 * (g + g.transpose());
}

TEST(NoiseAware, AgreesWithTheReference) {
  struct Row {
    double sigma_a, sigma_b;
    Eigen::Vector3d theta, variance;
  };
  // reference: 60-digit arithmetic.
  const Row rows[] = {{7.3,
                       5.2,
                       {0.3724552230902184, -0.4665380947356188, 0.4512044723514382},
                       {0.0038623717404362495, 0.021338193111905802, 0.07092734438150702}},
                      {30.0,
                       30.0,
                       {0.18595710912824817, -0.10044752052752814, 0.03504545471085334},
                       {0.029379578878644584, 0.09167368896015052, 0.13633876426803124}},
                      {0.5,
                       0.5,
                       {0.39099881221989885, -0.5208327439085617, 0.5717758353604304},
                       {0.0002797825408254359, 0.0008226524671863787, 0.001962317685770251}}};
  for (const Row& row : rows) {
    const auto found = noise_aware(reference_sums(row.sigma_a, row.sigma_b));
    ASSERT_TRUE(found.has_value());
    EXPECT_LT((found->theta - row.theta).cwiseAbs().maxCoeff(), 1e-12) << row.sigma_a;
    EXPECT_LT(((*found->posterior_variance - row.variance).array() / row.variance.array())
                  .abs()
                  .maxCoeff(),
              1e-10)
        << row.sigma_a;
    EXPECT_TRUE(found->warnings.empty());
  }
}

RC_GTEST_PROP(NoiseAware, TurnsWithTheCoordinates, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  const auto d = *rc::gen::inRange<Eigen::Index>(1, 9);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto drawn = [&](Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }).eval();
  };
  const Eigen::MatrixXd x = drawn(30, d);
  const Eigen::MatrixXd turn = orthogonal_factor(drawn(d, d));
  NoisySums sums{.a = x.transpose() * x, .b = 20 * drawn(d, 1).col(0), .sigma_a = 4, .sigma_b = 3};
  sums.a = (sums.a + sums.a.transpose()).eval() / 2;
  NoisySums turned = sums;
  turned.a = turn * sums.a * turn.transpose();
  turned.a = (turned.a + turned.a.transpose()).eval() / 2;
  turned.b = turn * sums.b;
  const auto plain = noise_aware(sums);
  const auto other = noise_aware(turned);
  RC_ASSERT((turn * plain->theta - other->theta).norm() < 1e-9 * (1 + plain->theta.norm()));
}

TEST(NoiseAware, TendsToLeastSquaresAsDataGrowAndNoiseVanishes) {
  // With σ = 0 what is left is the ridge s²/τ², at most 0.05/1e-3 = 50 beside λ_min.
  const NoisySums base = reference_sums(0, 0);
  const Eigen::VectorXd least_squares = solve_symmetric(base.a, base.b);
  for (const double rows : {1e3, 1e6, 1e9}) {
    NoisySums many = base;
    many.a *= rows;
    many.b *= rows;
    const double smallest = solve::SpectrumOfSums(many.a).values(0);
    const double gap = (noise_aware(many)->theta - least_squares).norm();
    EXPECT_LE(gap, 50 / smallest * least_squares.norm()) << rows;
  }
}

TEST(NoiseAware, IsNothingButPriorWhereTheSumsAreNothing) {
  const NoisySums sums{
      .a = Eigen::MatrixXd::Zero(2, 2), .b = Eigen::Vector2d(1, -1), .sigma_a = 3, .sigma_b = 3};
  const auto found = noise_aware(sums);
  EXPECT_EQ(found->theta.norm(), 0);
  ASSERT_EQ(found->warnings.size(), 1U);
  EXPECT_THAT(found->warnings[0], testing::HasSubstr("2 of 2 directions"));
}

TEST(NoiseAware, ShrinksMoreTheNoisierTheSumsAre) {
  double previous = 1e9;
  for (const double sigma : {0.1, 1.0, 10.0, 40.0, 100.0}) {
    const double length = noise_aware(reference_sums(sigma, sigma))->theta.norm();
    EXPECT_LT(length, previous) << sigma;
    previous = length;
  }
}

TEST(NoiseAware, CountsEntryNoiseAsRotationInvariantNoiseOfTwiceTheVariance) {
  NoisySums entries = reference_sums(7.3, 5.2);
  entries.shape = NoiseShape::kEntries;
  const NoisySums svec = reference_sums(7.3 * std::sqrt(2.0), 5.2);
  EXPECT_LT((noise_aware(entries)->theta - noise_aware(svec)->theta).norm(), 1e-12);
}

TEST(TrueMoments, AreTheSpectrumItselfWithoutNoise) {
  const Eigen::Vector3d eigenvalues(-2, 5, 5);
  const solve::TrueMoments moments = solve::true_moments(eigenvalues, 0);
  EXPECT_EQ(moments.first, Eigen::Vector3d(0, 5, 5));
  EXPECT_LT((moments.second - Eigen::Vector3d(0, 25, 25)).norm(), 1e-11);
}

TEST(TrueMoments, FindWhatTheTrueMatrixDoesToTheNoisyEigenvectors) {
  // A spike over a flat spectrum, where the derivation is exact as d grows: along the
  // top noisy eigenvector q, qᵀAq and ‖Aq‖² are both below what λ would suggest.
  const Eigen::Index d = 60;
  const double sigma = 1;
  std::mt19937_64 random(8);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(d, d);
  a(0, 0) = 2.5 * sigma * std::sqrt(static_cast<double>(d) / 2);
  double first = 0, second = 0, first_found = 0, second_found = 0, naive = 0;
  const int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    const solve::SpectrumOfSums spectrum(a + svec_noise(d, sigma, random));
    const Eigen::VectorXd q = spectrum.vectors.col(d - 1);
    const solve::TrueMoments found = solve::true_moments(spectrum.values, sigma);
    first += q.dot(a * q) / trials;
    second += (a * q).squaredNorm() / trials;
    first_found += found.first(d - 1) / trials;
    second_found += found.second(d - 1) / trials;
    naive += spectrum.values(d - 1) / trials;
  }
  EXPECT_NEAR(first_found / first, 1, 0.03);
  EXPECT_NEAR(second_found / second, 1, 0.03);
  EXPECT_GT(naive / first, 1.2);
}

TEST(NoiseAware, HasLessErrorThanTheExactSolutionOverNoiseDraws) {
  // Not one draw but the mean over many: what shrinking is for.
  const NoisySums truth = reference_sums(0, 0);
  const Eigen::VectorXd theta = solve_symmetric(truth.a, truth.b);
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  double error = 0, plain_error = 0;
  for (int trial = 0; trial < 500; ++trial) {
    NoisySums noisy = reference_sums(15, 15);
    noisy.a += svec_noise(3, 15, random);
    for (double& entry : noisy.b) entry += 15 * normal(random);
    error += (noise_aware(noisy)->theta - theta).squaredNorm();
    plain_error += std::min((solve_symmetric(noisy.a, noisy.b) - theta).squaredNorm(), 10.0);
  }
  EXPECT_LT(error, 0.5 * plain_error);
}

}  // namespace
}  // namespace sotto
