#include "base/statistics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Quantile, InterpolatesLinearlyBetweenNeighbours) {
  const std::vector<double> four{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(quantile(four, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(four, 0.25), 1.75);  // h = 0.75
  EXPECT_DOUBLE_EQ(quantile(four, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(four, 0.9), 3.7);  // h = 2.7
  EXPECT_DOUBLE_EQ(quantile(four, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.3), 7);
  for (const double q : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
    std::vector<double> any{3, 1, 4, 2};
    EXPECT_EQ(quantile_of_any(any, q), quantile(four, q)) << q;
  }
}

// By hand: N = 11, so h = 2.5, 5 and 7.5; the interquartile range is 6, its reach 9.
TEST(BoxStatistics, MatchAnExampleComputedByHand) {
  const std::vector<double> samples{10, 1, 40, 2, 3, 4, 5, 6, 7, 16, -4.5};
  const BoxStatistics box = box_statistics(samples);
  EXPECT_DOUBLE_EQ(box.q25, 2.5);
  EXPECT_DOUBLE_EQ(box.median, 5);
  EXPECT_DOUBLE_EQ(box.q75, 8.5);
  EXPECT_DOUBLE_EQ(box.low, -4.5);  // the fence is 2.5 − 9 = −6.5
  EXPECT_DOUBLE_EQ(box.high, 16);   // the fence is 8.5 + 9 = 17.5
  EXPECT_THAT(box.outliers, ElementsAre(40));
  EXPECT_EQ(box.count, 11U);
}

TEST(BoxStatistics, CountASampleOnTheFenceAsInside) {
  // Quartiles 1 and 3, so the fences are −2 and 6.
  EXPECT_THAT(box_statistics(std::vector<double>{-2, 1, 2, 3, 6}).outliers, IsEmpty());
  const BoxStatistics beyond = box_statistics(std::vector<double>{-2.001, 1, 2, 3, 6.001});
  EXPECT_THAT(beyond.outliers, ElementsAre(-2.001, 6.001));
  EXPECT_DOUBLE_EQ(beyond.low, 1);
  EXPECT_DOUBLE_EQ(beyond.high, 3);
}

TEST(BoxStatistics, NeverDrawAWhiskerThatEndsInsideTheBox) {
  // The lower quartile −25 lies between samples; the nearest one within reach is 0, above it.
  const BoxStatistics box = box_statistics(std::vector<double>{-100, 0, 0, 1});
  EXPECT_DOUBLE_EQ(box.q25, -25);
  EXPECT_DOUBLE_EQ(box.low, -25);
  EXPECT_THAT(box.outliers, ElementsAre(-100));
}

TEST(BoxStatistics, SkipAndCountSamplesThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const BoxStatistics box = box_statistics(std::vector<double>{nan, 2, infinity, 1, -infinity, 3});
  EXPECT_DOUBLE_EQ(box.median, 2);
  EXPECT_EQ(box.count, 3U);
  EXPECT_EQ(box.skipped, 3U);
  EXPECT_THAT(box.outliers, IsEmpty());
}

TEST(BoxStatistics, OfNothingAreNotNumbers) {
  const BoxStatistics box = box_statistics({});
  EXPECT_EQ(box.count, 0U);
  EXPECT_TRUE(std::isnan(box.median));
}

TEST(BoxStatistics, OfOneSampleAreThatSample) {
  const BoxStatistics box = box_statistics(std::vector<double>{0.125});
  EXPECT_DOUBLE_EQ(box.low, 0.125);
  EXPECT_DOUBLE_EQ(box.median, 0.125);
  EXPECT_DOUBLE_EQ(box.high, 0.125);
}

// Where F's tail has a closed form.
TEST(FTail, AgreesWithItsClosedForms) {
  for (const double f : {0.01, 0.3, 1.0, 2.5, 7.0, 60.0}) {
    EXPECT_NEAR(f_tail(f, 1, 1), 1 - 2 / M_PI * std::atan(std::sqrt(f)), 1e-14);
    for (const double d : {1.0, 3.0, 10.0, 500.0, 1e6}) {
      const double tail = std::exp(-d / 2 * std::log1p(2 * f / d));
      EXPECT_NEAR(f_tail(f, 2, d), tail, 1e-9 * tail + 1e-15) << f << " " << d;
      EXPECT_NEAR(f_tail(f, d, 2), 1 - std::pow(d * f / (2 + d * f), d / 2), 1e-10);
      EXPECT_NEAR(f_tail(f, d, 7) + f_tail(1 / f, 7, d), 1, 1e-10);
    }
  }
  EXPECT_NEAR(f_tail(1, 12, 12), 0.5, 1e-12);
  EXPECT_EQ(f_tail(0, 3, 4), 1);
}

}  // namespace
}  // namespace sotto
