// Bounds of an audit against numbers that are known otherwise.
#include "run/audit/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "privacy/budget.h"

namespace sotto::audit {
namespace {

TEST(AuditBounds, OfCountsAreCloppersAndPearsons) {
  // 10 of 100 at one-sided 4.5e-5: the roots of P(Bin(100, p) ≥ 10) and P(Bin(100, p) ≤ 10), the
  // sums written out.
  constexpr double kErrorRate = 4.5e-5;
  EXPECT_NEAR(probability_at_least(10, 100, kErrorRate), 0.0206539852, 1e-9);
  EXPECT_NEAR(probability_at_most(10, 100, kErrorRate), 0.2632231097, 1e-9);
  EXPECT_EQ(probability_at_least(0, 100, kErrorRate), 0);
  // Nothing of 100: (1 − p)^100 = 4.5e-5.
  EXPECT_NEAR(probability_at_most(0, 100, kErrorRate), 1 - std::pow(kErrorRate, 0.01), 1e-9);
  EXPECT_NEAR(probability_at_least(100, 100, kErrorRate), std::pow(kErrorRate, 0.01), 1e-9);
}

Scores gaussian_scores(double shift, std::size_t runs, std::uint64_t seed) {
  StandardNormal normal(seed);
  Scores scores;
  for (std::size_t k = 0; k < runs; ++k) {
    scores.world_0.push_back(normal());
    scores.world_1.push_back(shift + normal());
  }
  return scores;
}

// 90 of 100 in one world and 10 of 100 in the other, in both halves: the formula, written out.
TEST(AuditBounds, ByCountingAreThoseOfFourProbabilitiesTogether) {
  Scores scores;
  for (int k = 0; k < 200; ++k) {
    scores.world_0.push_back(k % 10 == 0 ? 1 : 0);
    scores.world_1.push_back(k % 10 == 0 ? 0 : 1);
  }
  const double error = 1e-3;
  const double delta = 0.05;
  EXPECT_NEAR(counted_epsilon(scores, delta, error),
              std::log((probability_at_least(90, 100, error / 4) - delta) /
                       probability_at_most(10, 100, error / 4)),
              1e-12);
}

// Worlds that differ in the runs that the threshold is chosen on, and in no other.
TEST(AuditBounds, WhatTheFirstHalfShowsTheSecondHasToProve) {
  Scores scores{.world_0 = std::vector<double>(200, 0.0), .world_1 = std::vector<double>(200, 0.0)};
  std::fill_n(scores.world_1.begin(), 100, 1.0);
  EXPECT_EQ(counted_epsilon(scores, 0.05, 1e-3), 0);
}

// Runs that are all alike do not scatter, and what they have not shown is still allowed for.
TEST(AuditBounds, OfFewTiltedRunsAllowForWhatNoneHasShown) {
  const Tilted runs{.log_weight = std::vector<double>(5, 0.0),
                    .log_ratio = std::vector<double>(5, 2.0)};
  EXPECT_NEAR(tilted_delta_at_least(runs, 1, 0.5, 0.1),
              -std::expm1(-1.0) - 7 * 0.5 * std::log(20.0) / (3 * 4), 1e-6);
}

TEST(AuditBounds, CountingNeverProvesMoreThanIsTrueAndMostOfItAtLargeDelta) {
  const double delta = 0.05;
  for (const double shift : {0.3, 1.0, 2.0}) {
    const double exact = gaussian_epsilon(shift, delta);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const double counted = counted_epsilon(gaussian_scores(shift, 10'000, seed), delta, 1e-4);
      EXPECT_LE(counted, exact) << shift << " seed " << seed;
      if (shift >= 1) {
        EXPECT_GE(counted, 0.5 * exact) << shift << " seed " << seed;
      }
    }
  }
}

// Runs of a Gaussian mechanism on data at `distance` times the change.
Tilted gaussian_runs(double shift, double distance, std::size_t count, StandardNormal& normal) {
  Tilted runs;
  for (std::size_t k = 0; k < count; ++k) {
    const double z = distance * shift + normal();
    runs.log_weight.push_back(shift * ((1 - distance) * z - (1 - distance * distance) * shift / 2));
    runs.log_ratio.push_back(shift * (z - shift / 2));
  }
  return runs;
}

TEST(AuditBounds, OfTiltedRunsAreTheGaussianMechanismsDelta) {
  for (const auto& [shift, epsilon] : {std::pair{0.2115, 1.0}, std::pair{1.0, 4.0}}) {
    const double distance = (epsilon / shift + shift / 2) / shift;
    StandardNormal normal(3);
    const Tilted runs = gaussian_runs(shift, distance, 50'000, normal);
    const Estimate estimate = tilted_delta(runs, epsilon);
    const double exact = gaussian_delta(epsilon, shift);
    EXPECT_LT(estimate.error, 0.02 * exact);
    EXPECT_NEAR(estimate.value, exact, 4 * estimate.error);
  }
}

// Where one model adds more on some runs and less on others, what both can stand for is less than
// either's sum.
TEST(AuditBounds, OfTwoModelsEachRunAddsTheLesser) {
  const Tilted one{.log_weight = {0, 0, -1}, .log_ratio = {3, 1.5, 9}};
  const Tilted other{.log_weight = {0, 0, 0}, .log_ratio = {1.5, 3, 0.5}};
  const double low = -std::expm1(1 - 1.5);
  EXPECT_DOUBLE_EQ(tilted_delta(lesser(one, other, 1), 1).value, 2 * low / 3);
  EXPECT_DOUBLE_EQ(tilted_delta(lesser(other, one, 1), 1).value, 2 * low / 3);
  EXPECT_LT(2 * low / 3, std::min(tilted_delta(one, 1).value, tilted_delta(other, 1).value));
}

TEST(AuditBounds, DeviationsAreTheNormalLaws) {
  EXPECT_NEAR(normal_deviations(0.025), 1.959963985, 1e-8);
  EXPECT_NEAR(normal_deviations(1e-6), 4.753424309, 1e-5);
}

TEST(AuditBounds, WhatIsProvenIsReachedFromAStartWithoutAGap) {
  EXPECT_NEAR(proven_epsilon(1, [](double e) { return e < 2; }), 2, 0.011);
  EXPECT_NEAR(proven_epsilon(1, [](double e) { return e > 0.45 && e < 0.6; }), 0.6, 0.004);
  // What holds by chance beyond a gap proves nothing.
  EXPECT_NEAR(proven_epsilon(1, [](double e) { return e < 0.95 || e > 1.5; }), 0.95, 0.005);
  EXPECT_EQ(proven_epsilon(1, [](double) { return false; }), 0);
}

// Bounds that may be wrong once in ten are: on runs of a Gaussian mechanism, as an audit draws
// them, at the true ε. Fails for a bound that takes a few runs at their word, as one that counts
// standard deviations of the mean alone would.
TEST(AuditBounds, OfTiltedRunsAreWrongNoMoreOftenThanTheyMay) {
  constexpr double kMay = 0.1;
  constexpr int kAudits = 400;
  for (const auto& [shift, delta] : {std::pair{0.2115, 1e-6}, std::pair{1.0, 0.05}}) {
    const double epsilon = gaussian_epsilon(shift, delta);
    for (const std::size_t runs : {20U, 500U}) {
      int wrong = 0;
      StandardNormal normal(runs);
      for (int k = 0; k < kAudits; ++k) {
        const double distance = (epsilon / shift + shift / 2) / shift;
        const Tilted drawn = gaussian_runs(shift, distance, runs, normal);
        const double beyond = distance - 1;
        const double largest = std::exp(beyond * (distance * shift * shift / 2 - epsilon)) *
                               std::pow(1 + 1 / beyond, -beyond) / distance;
        for (std::size_t i = 0; i < runs; ++i) {
          ASSERT_LE(std::exp(drawn.log_weight[i]) *
                        std::max(0.0, -std::expm1(epsilon - drawn.log_ratio[i])),
                    largest * (1 + 1e-9));
        }
        wrong += tilted_delta_at_least(drawn, epsilon, largest, kMay) > delta ? 1 : 0;
      }
      EXPECT_LE(wrong, kMay * kAudits) << shift << ", " << runs << " runs";
    }
  }
}

TEST(AuditBounds, ALearnedTestFindsTheDirectionByItself) {
  StandardNormal normal(11);
  const auto draw = [&](double moved) {
    std::vector<std::vector<double>> runs;
    for (int k = 0; k < 4000; ++k) {
      // Two numbers that share a large mask: only their sum tells the worlds apart.
      const double mask = 50 * normal();
      runs.push_back({mask + normal() + moved, -mask + normal()});
    }
    return runs;
  };
  const auto world_0 = draw(0);
  const auto world_1 = draw(3);
  EXPECT_GT(counted_epsilon(learned_scores(world_0, world_1), 0.05, 1e-4), 1);
}

}  // namespace
}  // namespace sotto::audit
