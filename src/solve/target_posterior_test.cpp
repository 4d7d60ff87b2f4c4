#include "solve/target_posterior.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto::solve {
namespace {

// References: the same grid in NumPy.

TEST(TargetPosterior, AgreesWithTheReferenceWhereRowsAreWellKnown) {
  const auto found = target_posterior({{1200, 36}, {-240, 23}, NoisyNumber{410, 40}});
  EXPECT_NEAR(found.count, 1201.03285540024, 1e-8);
  EXPECT_NEAR(found.count_sd, 35.931551362614144, 1e-7);
  EXPECT_NEAR(found.spread, 352.41166730796664, 1e-8);
  EXPECT_NEAR(found.mean, -0.19757785774992995, 1e-12) << "the ratio of the sums, hardly pulled";
}

TEST(TargetPosterior, AgreesWithTheReferenceWhereNoiseHidesTheRows) {
  const auto found = target_posterior({{55, 36}, {-40, 23}, NoisyNumber{30, 40}});
  EXPECT_NEAR(found.count, 60.975358291955686, 1e-9);
  EXPECT_NEAR(found.count_sd, 29.67163791060734, 1e-9);
  EXPECT_NEAR(found.mean, -0.506887792012384, 1e-12);
  EXPECT_NEAR(found.spread, 1.230493458248797, 1e-8);
}

// A sum that stands out of its noise is a target near a bound; one that does not says nothing.
TEST(TargetPosterior, GoesByTheSumAloneWhereNothingIsKnownOfTheRows) {
  const auto mean = [](double sum) {
    return target_posterior({{-20, 36}, {sum, 23}, NoisyNumber{30, 40}}).mean;
  };
  EXPECT_DOUBLE_EQ(mean(15), 0);
  EXPECT_DOUBLE_EQ(mean(-60), -60 / (1.8 * 36));
  EXPECT_DOUBLE_EQ(mean(90), 1);
  for (const double at : {0.7 * 23, 0.9 * 23, 1.8 * 36}) {
    EXPECT_NEAR(mean(at - 1e-6), mean(at + 1e-6), 1e-5) << at;
  }
}

TEST(TargetPosterior, PassesFromOneMeanToTheOtherWithoutAJump) {
  const auto mean = [](double count) {
    return target_posterior({{count, 30}, {0.6 * count, 20}, NoisyNumber{0.5 * count, 30}}).mean;
  };
  for (const double at : {37.5, 60.0, 90.0, 120.0}) {
    EXPECT_NEAR(mean(at - 1e-6), mean(at + 1e-6), 1e-6) << at;
  }
  EXPECT_LT(mean(59), 0.6);
  EXPECT_NEAR(mean(121), 0.5333, 0.0001);
  EXPECT_NEAR(mean(1210), 0.6, 0.001);
}

// A target at a bound keeps the ratio of its sums; one that may lie in the middle is taken there.
TEST(TargetPosterior, PullsAMeanToTheMiddleWhereItMayWellBeNoise) {
  const auto mean = [](double ratio, double sd) {
    return target_posterior({{1000, sd}, {1000 * ratio, sd}, NoisyNumber{900, sd}}).mean;
  };
  EXPECT_NEAR(mean(0.05, 200), 0.0257, 0.001);
  EXPECT_NEAR(mean(0.3, 200), 0.3 - 0.3 * 0.2 * std::sqrt(1.09), 1e-12) << "no farther than 0.3 s";
  EXPECT_NEAR(mean(0.8, 100), 0.8, 0.005);
  EXPECT_NEAR(mean(-0.8, 100), -mean(0.8, 100), 1e-12);
  EXPECT_NEAR(mean(0.05, 2), 0.05, 1e-5);
}

TEST(TargetPosterior, DoesWithoutSquaresAndWithoutNoise) {
  const auto without_squares = target_posterior({{1200, 36}, {-240, 23}, std::nullopt});
  EXPECT_NEAR(without_squares.count, 1199.1322943406499, 1e-8);
  EXPECT_NEAR(without_squares.spread, 37.91690091276705, 1e-9);
  const auto exact = target_posterior({{1200, 0}, {-240, 0}, NoisyNumber{410, 0}});
  EXPECT_NEAR(exact.count, 1200, 1e-5);
  EXPECT_NEAR(exact.spread, 410 - 240 * 0.2, 1e-4);
  EXPECT_DOUBLE_EQ(exact.mean, -0.2);
}

TEST(TargetPosterior, IsFiniteForSumsThatNoTargetCouldHave) {
  for (const double count : {-1e6, 0.0, 100.0, 1e12}) {
    for (const double sum : {-1e9, 0.0, 500.0}) {
      for (const double squares : {-1e9, 0.0, 1e9}) {
        for (const double sd : {0.0, 1e-6, 1.0, 1e6}) {
          const auto found = target_posterior({{count, sd}, {sum, sd}, NoisyNumber{squares, sd}});
          EXPECT_TRUE(std::isfinite(found.count) && found.count >= 1) << count << ' ' << sum;
          EXPECT_TRUE(std::isfinite(found.count_sd));
          EXPECT_LE(std::abs(found.mean), 1);
          EXPECT_TRUE(std::isfinite(found.spread) && found.spread > 0) << count << ' ' << sum;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sotto::solve
