#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "paper/case_studies.h"

namespace sotto {
namespace {

TEST(Figure2, ErrorsFallAsEpsilonGrows) {
  const auto samples = figure_2(11, {});
  ASSERT_TRUE(samples.has_value()) << samples.error().to_string();
  for (std::size_t k = 2; k < samples->size(); ++k) {
    EXPECT_LT((*samples)[k].median, (*samples)[k - 2].median) << "ε = " << (*samples)[k].group;
  }
  for (const ErrorSample& sample : *samples) {
    const bool ours = sample.series == kOurShuffle;
    EXPECT_EQ(sample.squared_errors.size(), kBoxSamples);
    EXPECT_LE(sample.plan.adversaries.front().delta_at_epsilon, 0.2 * (1 + 1e-9));
    // √(n/(n−1)) is what it costs to be private from any one neighbour, and nobody else is.
    EXPECT_NEAR(sample.plan.central_ratio, ours ? 1.01 * std::sqrt(10.0 / 9) : 1.01, 1e-9);
    EXPECT_EQ(sample.plan.adversaries[1].delta_at_epsilon <= 0.2 * (1 + 1e-9), ours);
  }
}

TEST(Figure3, GtAndAcPayForMorePartiesAndDishufDoesNot) {
  const auto samples = figure_3(11, {});
  ASSERT_TRUE(samples.has_value()) << samples.error().to_string();
  ASSERT_EQ(samples->size(), 12U);
  for (const char* solver : {"gt", "ac"}) {
    const double slope = log_log_slope(*samples, solver);
    EXPECT_GT(slope, 0.8) << solver;
    EXPECT_LT(slope, 1.2) << solver;
  }
  EXPECT_NEAR(log_log_slope(*samples, "dishuf"), 0.0, 0.15);
  EXPECT_NEAR(log_log_slope(*samples, kOurShuffle), 0.0, 0.15);
  for (const ErrorSample& sample : *samples) {
    if (sample.series == kOurShuffle) continue;
    const auto best = std::ranges::find_if(*samples, [&](const ErrorSample& other) {
      return other.group == sample.group && other.series == "dishuf";
    });
    EXPECT_LE(best->median, sample.median) << sample.series << ", n = " << sample.group;
  }
}

}  // namespace
}  // namespace sotto
