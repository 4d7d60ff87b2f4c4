// Bounds of an audit against numbers that are known otherwise.
#include "run/audit/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics.h"
#include "privacy/budget.h"

namespace sotto::audit {
namespace {

TEST(AuditBounds, OfCountsAreCloppersAndPearsons) {
  // 10 of 100 at one-sided 4.5e-5: the roots of P(Bin(100, p) ≥ 10) and P(Bin(100, p) ≤ 10), the
  // sums written out.
  EXPECT_NEAR(probability_at_least(10, 100), 0.0206539852, 1e-9);
  EXPECT_NEAR(probability_at_most(10, 100), 0.2632231097, 1e-9);
  EXPECT_EQ(probability_at_least(0, 100), 0);
  // Nothing of 100: (1 − p)^100 = 4.5e-5.
  EXPECT_NEAR(probability_at_most(0, 100), 1 - std::pow(kErrorRate, 0.01), 1e-9);
  EXPECT_NEAR(probability_at_least(100, 100), std::pow(kErrorRate, 0.01), 1e-9);
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

TEST(AuditBounds, CountingNeverProvesMoreThanIsTrueAndMostOfItAtLargeDelta) {
  const double delta = 0.05;
  for (const double shift : {0.3, 1.0, 2.0}) {
    const double exact = gaussian_epsilon(shift, delta);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const double counted = counted_epsilon(gaussian_scores(shift, 10'000, seed), delta);
      EXPECT_LE(counted, exact) << shift << " seed " << seed;
      if (shift >= 1) {
        EXPECT_GE(counted, 0.5 * exact) << shift << " seed " << seed;
      }
    }
  }
}

TEST(AuditBounds, OfTiltedRunsAreTheGaussianMechanismsDelta) {
  for (const auto& [shift, epsilon] : {std::pair{0.2115, 1.0}, std::pair{1.0, 4.0}}) {
    const double distance = (epsilon / shift + shift / 2) / shift;
    StandardNormal normal(3);
    Tilted runs;
    for (int k = 0; k < 50'000; ++k) {
      const double z = distance * shift + normal();
      runs.log_weight.push_back(shift *
                                ((1 - distance) * z - (1 - distance * distance) * shift / 2));
      runs.log_ratio.push_back(shift * (z - shift / 2));
    }
    const Estimate estimate = tilted_delta(runs, epsilon);
    const double exact = gaussian_delta(epsilon, shift);
    EXPECT_LT(estimate.error, 0.02 * exact);
    EXPECT_NEAR(estimate.value, exact, 4 * estimate.error);
  }
}

TEST(AuditBounds, TheLastEpsilonIsLookedForFromAbove) {
  EXPECT_NEAR(last_epsilon(8, [](double e) { return e > 0.5 && e < 2; }), 2, 0.004);
  EXPECT_EQ(last_epsilon(8, [](double) { return false; }), 0);
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
  EXPECT_GT(counted_epsilon(learned_scores(world_0, world_1), 0.05), 1);
}

}  // namespace
}  // namespace sotto::audit
