#include "privacy/seal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "moments/quadratic.h"
#include "support/noise_statistics.h"

namespace sotto {
namespace {

using noise_test::discrete_truncated_laplace_delta;
using noise_test::moments_fit;

constexpr std::size_t kDraws = 80'000;  // a σ wrong by 2 % is 8 standard deviations away

Sensitivity mu_of(double mu) {
  return *Sensitivity::make(mu);
}

Secret zeros(std::size_t entries, double mu) {
  return Secret::of_entries(std::vector<double>(entries, 0.0), mu_of(mu));
}

// Gives every draw its own σ or scale, the truncated Laplace its bound, downwards: what was asked
// for can be read off the release.
class Telltale final : public NoiseSource {
 public:
  Integer gaussian(const Integer& sigma) override { return sigma; }
  Integer laplace(const Rational& scale) override { return ceiling(scale); }
  Integer truncated_laplace(const Rational& /*scale*/, const Integer& bound) override {
    return -bound;
  }
  Integer uniform(const Integer& low, const Integer& /*high*/) override { return low; }
};

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// True for the σ claimed, and only for it: the same check refuses 2 % more and 2 % less.
void expect_sigma(const std::vector<double>& values, double sigma) {
  EXPECT_TRUE(moments_fit(values, sigma * sigma)) << "σ = " << sigma;
  EXPECT_FALSE(moments_fit(scaled(values, 1.02), sigma * sigma));
  EXPECT_FALSE(moments_fit(scaled(values, 0.98), sigma * sigma));
}

TEST(Seal, ReleasesWhatAPartyHoldsWhenThereIsNoNoise) {
  const std::vector<double> theta = {1.5, -2.25, 0.0, 1e6, -0x1p-30};
  const Secret secret = Secret::of_entries(theta, mu_of(3));
  const auto noise = fast_noise(1, 0);
  EXPECT_EQ(release_locally(secret, 0, *noise).values(), theta);
  EXPECT_EQ(PairwiseSeal(secret, PairwiseNoise{}, *noise).release().values(), theta);
  const ShuffleNoise silent{0, 0, Integer(2'000'001), 1000};
  const ShuffleSeal seal(secret, silent, 1, *noise);
  EXPECT_EQ(seal.release(IntegerVector(theta.size())).values(), theta);
}

TEST(Seal, PutsEntriesOnAGridWhoseRoundingTheNoiseAccountsFor) {
  const double mu = 3;
  const Secret secret = zeros(1, mu);
  const double step = nearest_double(secret.grid().step());
  EXPECT_LE(step, mu * 0x1p-40);
  Telltale telltale;
  const Integer sigma = release_locally(secret, mu, telltale).indices[0];
  // σ·(μ + step)/μ = μ + step here, so one step more than σ itself.
  EXPECT_EQ(sigma, secret.grid().index(mu) + 1);
}

TEST(Seal, WidensNoNoiseWhereSumsAreExact) {
  const Grid grid{-10};
  const Secret secret = Secret::of_sums(IntegerVector(1), grid, {});
  Telltale telltale;
  EXPECT_EQ(release_locally(secret, 3.0, telltale).indices[0], 3 * 1024);
}

TEST(Seal, DividesTheNoiseByAnEntrysWeight) {
  const Grid grid{-20};
  const std::vector<double> weights = {1, std::sqrt(2.0), 2, 0.5};
  const Secret secret = Secret::of_sums(IntegerVector(4), grid, weights);
  Telltale telltale;
  const Released local = release_locally(secret, 3.0, telltale);
  const PairwiseSeal pairwise(secret, {.sigma_gamma = 3, .sigma_edge = 7}, telltale);
  const ShuffleNoise shuffle{3, 7, Integer(11), 1000};
  const ShuffleSeal shuffled(secret, shuffle, 2, telltale);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Rational in_steps = Rational(3) / Rational(weights[k]) / grid.step();
    EXPECT_EQ(local.indices[k], ceiling(in_steps)) << k;
    EXPECT_EQ(pairwise.release().indices[k], ceiling(in_steps)) << k;
    EXPECT_EQ(shuffled.release(IntegerVector(4)).indices[k], ceiling(in_steps * 11)) << k;
    for (const std::size_t neighbour : {0U, 1U}) {
      EXPECT_EQ(shuffled.masked(neighbour)[k],
                ceiling(Rational(7) / Rational(weights[k]) / grid.step()))
          << k;
    }
  }
}

TEST(Seal, DrawsNoNoiseOfFewerThanFiveSteps) {
  const Secret secret = Secret::of_sums(IntegerVector(1), Grid{0}, {});
  Telltale telltale;
  EXPECT_EQ(release_locally(secret, 1e-9, telltale).indices[0], 5);
  EXPECT_EQ(release_locally(secret, 4.5, telltale).indices[0], 5);
  EXPECT_EQ(release_locally(secret, 5.5, telltale).indices[0], 6);
  EXPECT_EQ(release_locally(secret, 0, telltale).indices[0], 0);
}

TEST(Seal, OfAcHasItsVariance) {
  const Secret secret = zeros(kDraws, 3);
  const auto noise = fast_noise(2, 0);
  expect_sigma(release_locally(secret, 0.769, *noise).values(), 0.769);
}

TEST(Seal, OfDishufHasBothItsVariances) {
  const Secret secret = zeros(kDraws, 3);
  const ShuffleNoise parameters{Rational(1, 4), Rational(49), Integer(2'000'001), 1000};
  const auto noise = fast_noise(3, 0);
  const ShuffleSeal seal(secret, parameters, 2, *noise);
  expect_sigma(seal.release(IntegerVector(kDraws)).values(), 0.25);
  const Released masked{.indices = seal.masked(0), .grid = secret.grid()};
  expect_sigma(masked.values(), 49);
  // Every neighbour's mask is its own: the difference of two has twice the variance.
  Released difference{.indices = seal.masked(1), .grid = secret.grid()};
  for (std::size_t k = 0; k < kDraws; ++k) difference.indices[k] -= masked.indices[k];
  expect_sigma(difference.values(), 49 * std::numbers::sqrt2);
}

TEST(Seal, OfThePapersShuffleShowsAllNeighboursTheSame) {
  const Secret secret = zeros(3, 3);
  const ShuffleNoise parameters{Rational(1, 4), Rational(49), Integer(2'000'001), 1000,
                                ShuffleMasks::kShared};
  const auto noise = fast_noise(3, 0);
  const ShuffleSeal seal(secret, parameters, 2, *noise);
  EXPECT_EQ(seal.masked(0), seal.masked(1));
}

TEST(Seal, OfDishufAddsTheShuffleInUnitsOfZeta) {
  const Secret secret = Secret::of_entries(std::vector<double>{2.0}, mu_of(1));
  const ShuffleNoise silent{0, 0, Integer(8), 1000};
  const auto noise = fast_noise(4, 0);
  const ShuffleSeal seal(secret, silent, 1, *noise);
  const Integer one = secret.grid().index(1.0);
  EXPECT_EQ(seal.release(IntegerVector{one}).values()[0], 2.0 + 1.0 / 8);
}

TEST(Seal, OfPairwiseHasBothItsVariances) {
  const Secret secret = zeros(kDraws, 3);
  const auto noise = fast_noise(5, 0);
  PairwiseSeal seal(secret, {.sigma_gamma = 0.25, .sigma_edge = 1.5}, *noise);
  expect_sigma(seal.release().values(), 0.25);
  SeededRandom shared(6);
  seal.add_mask(*exact_noise(shared), false);
  expect_sigma(seal.release().values(), std::hypot(0.25, 1.5));
}

TEST(Seal, TheMaskOfOneStreamIsTheSameAtBothEnds) {
  const Secret secret = Secret::of_entries(std::vector<double>{1.0, -2.0, 3.0}, mu_of(3));
  const auto noise = fast_noise(7, 0);
  PairwiseSeal seal(secret, {.sigma_gamma = 0.25, .sigma_edge = 8}, *noise);
  const IntegerVector before = seal.release().indices;
  SeededRandom one_end(8);
  SeededRandom other_end(8);
  seal.add_mask(*exact_noise(one_end), false);
  EXPECT_NE(seal.release().indices, before);
  seal.add_mask(*exact_noise(other_end), true);
  EXPECT_EQ(seal.release().indices, before);
}

TEST(Seal, OfGtHasTheVariancesOfTheTwoMechanisms) {
  constexpr std::size_t kRuns = 20'000;
  const Epsilon epsilon = *Epsilon::make(10);
  const GridLaplace laplace = GridLaplace::make(epsilon, mu_of(3), 3.3);
  const Quadratic quadratic{Eigen::MatrixXd{{4.0, 1.0}, {1.0, 3.0}}, Eigen::VectorXd{{-1.0, 2.0}}};
  const Secret secret = Secret::of_entries(to_theta(quadratic), mu_of(3));
  std::vector<double> matrix_noise;
  std::vector<double> vector_noise;
  const auto noise = fast_noise(9, 0);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const PerturbedCost cost = perturb_cost(secret, 2, laplace, 0.769, *noise);
    ASSERT_EQ(cost.g(0, 1), cost.g(1, 0));
    for (const auto& [r, c] : {std::pair{0, 0}, std::pair{0, 1}, std::pair{1, 1}}) {
      matrix_noise.push_back(cost.g(r, c) - quadratic.a(r, c));
    }
    for (int k = 0; k < 2; ++k) vector_noise.push_back(cost.h[k] - quadratic.b[k]);
  }
  // reference: Section III's variance, by its formula
  const double b = 0.3;
  const double cut = 3.3;
  const double tail = std::exp(-cut / b);
  const double variance = (2 * b * b - tail * (cut * cut + 2 * b * cut + 2 * b * b)) / (1 - tail);
  const double kurtosis = 6;  // the Laplace law's; cutting makes it smaller
  EXPECT_TRUE(moments_fit(matrix_noise, variance, kurtosis));
  EXPECT_FALSE(moments_fit(scaled(matrix_noise, 1.03), variance, kurtosis));
  EXPECT_FALSE(moments_fit(scaled(matrix_noise, 0.97), variance, kurtosis));
  EXPECT_LE(std::abs(*std::ranges::max_element(matrix_noise, {},
                                               [](double value) { return std::abs(value); })),
            laplace.largest());
  EXPECT_TRUE(moments_fit(vector_noise, 0.769 * 0.769));
  EXPECT_FALSE(moments_fit(scaled(vector_noise, 1.02), 0.769 * 0.769));
  EXPECT_FALSE(moments_fit(scaled(vector_noise, 0.98), 0.769 * 0.769));
}

TEST(Seal, OfGtRefusesNoiseForAnotherGrid) {
  const GridLaplace laplace = GridLaplace::make(*Epsilon::make(10), mu_of(3), 3.3);
  const Secret secret = zeros(2, 30);
  const auto noise = fast_noise(1, 0);
  EXPECT_DEATH((void)perturb_cost(secret, 1, laplace, 1, *noise), "one grid");
}

// --- Laplace noise at every party: docs/proofs/local_laplace.md ---

TEST(Seal, LaplaceNoiseHasItsScaleInEveryEntry) {
  Telltale telltale;
  const double mu = 3;
  const Secret entry = zeros(1, mu);
  const double step = nearest_double(entry.grid().step());
  // Rounding to the grid adds a step to a move of μ, and as much to the scale.
  const Released one = release_locally(entry, LaplaceNoise{.scale = 1.5}, telltale);
  EXPECT_EQ(one.indices[0], ceiling(Rational(1.5) * (Rational(mu) + entry.grid().step()) /
                                    Rational(mu) / entry.grid().step()));
  EXPECT_NEAR(one.values()[0], 1.5, 3 * step);
  const Released cut = release_locally(entry, LaplaceNoise{.scale = 1.5, .bound = 4}, telltale);
  EXPECT_NEAR(cut.values()[0], -4, 3 * step);
  EXPECT_EQ(cut.indices[0], -ceiling(Rational(4) * (Rational(mu) + entry.grid().step()) /
                                     Rational(mu) / entry.grid().step()));
  // An entry of half the weight has twice the noise.
  const Secret sums = Secret::of_sums(IntegerVector{0, 0}, entry.grid(), {1, 0.5});
  const auto values = release_locally(sums, LaplaceNoise{.scale = 1.5}, telltale).values();
  EXPECT_NEAR(values[1], 2 * values[0], 2 * step);
}

// --- the truncated Laplace on the grid ---

TEST(GridLaplace, IsNeverLessPrivateThanTheContinuousLawAndWastesNothing) {
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    for (const double mu : {0.01, 1.0, 3.0, 1000.0}) {
      for (const double ratio : {1.0, 1.0333, 1.5, 4.0}) {
        const double cut = mu * ratio;
        const GridLaplace grid = GridLaplace::make(*Epsilon::make(epsilon), mu_of(mu), cut);
        const double discrete =
            discrete_truncated_laplace_delta(grid.scale, grid.bound, grid.shift);
        const double continuous =
            TruncatedLaplace::make(*Epsilon::make(epsilon), mu_of(mu), cut)->delta();
        EXPECT_LE(discrete, continuous) << epsilon << " " << mu << " " << ratio;
        EXPECT_NEAR(discrete / continuous, 1, 1e-9) << epsilon << " " << mu << " " << ratio;
        EXPECT_GE(grid.largest(), cut);
        EXPECT_LE(grid.largest(), cut * (1 + 1e-11));
      }
    }
  }
}

TEST(GridLaplace, CountsARoundingOfBothEndsOfAChange) {
  const double mu = 3;
  const GridLaplace laplace = GridLaplace::make(*Epsilon::make(10), mu_of(mu), 3.3);
  const double step = nearest_double(laplace.grid.step());
  // The worst two values that are μ apart: rounding moves their indices one more apart.
  const double low = 0.4999 * step;
  const Integer moved = laplace.grid.index(low + mu + 0.001 * step) - laplace.grid.index(low);
  EXPECT_GT(moved, laplace.grid.index(mu));
  EXPECT_LE(moved, laplace.shift);
  EXPECT_EQ(laplace.scale, Rational(laplace.shift) / 10);
}

}  // namespace
}  // namespace sotto
