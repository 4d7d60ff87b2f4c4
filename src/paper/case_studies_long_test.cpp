#include <gtest/gtest.h>

#include <algorithm>

#include "paper/case_studies.h"

namespace sotto {
namespace {

TEST(Figure2, ErrorsFallAsEpsilonGrows) {
  const auto samples = figure_2(11, {});
  ASSERT_TRUE(samples.has_value()) << samples.error().to_string();
  for (std::size_t k = 1; k < samples->size(); ++k) {
    EXPECT_LT((*samples)[k].median, (*samples)[k - 1].median) << "ε = " << (*samples)[k].group;
  }
  for (const ErrorSample& sample : *samples) {
    EXPECT_EQ(sample.squared_errors.size(), kBoxSamples);
    EXPECT_LE(sample.plan.adversaries.front().delta_at_epsilon, 0.2 * (1 + 1e-9));
    EXPECT_NEAR(sample.plan.central_ratio, 1.01, 1e-9);
  }
}

TEST(Figure3, GtAndAcPayForMorePartiesAndDishufDoesNot) {
  const auto samples = figure_3(11, {});
  ASSERT_TRUE(samples.has_value()) << samples.error().to_string();
  ASSERT_EQ(samples->size(), 9U);
  for (const Solver solver : {Solver::kGt, Solver::kAc}) {
    const double slope = log_log_slope(*samples, solver);
    EXPECT_GT(slope, 0.8) << to_string(solver);
    EXPECT_LT(slope, 1.2) << to_string(solver);
  }
  EXPECT_NEAR(log_log_slope(*samples, Solver::kDishuf), 0.0, 0.15);
  for (const ErrorSample& sample : *samples) {
    const auto best = std::ranges::find_if(*samples, [&](const ErrorSample& other) {
      return other.group == sample.group && other.solver == Solver::kDishuf;
    });
    EXPECT_LE(best->median, sample.median) << to_string(sample.solver) << ", n = " << sample.group;
  }
}

}  // namespace
}  // namespace sotto
