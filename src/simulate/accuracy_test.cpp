// What is left in the sum. Over more draws: accuracy_long_test.cpp.
#include "support/accuracy.h"

#include "privacy/calibrate/pairwise.h"

namespace sotto {
namespace {

using namespace simulate_test;

TEST(SumNoise, OfDishufIsWithinGOfTheCentralMechanisms) {
  expect_dishuf_within_g(1200);
}

TEST(SumNoise, OfPairwiseIsWithinGOfTheCentralMechanisms) {
  const CaseStudy study;
  const AveragingSetup setup{
      study.weights, study.exact,
      *calibrate_pairwise(study.weights.graph(), study.mu, study.budget, 0.01, 0)};
  constexpr std::size_t kEntries = 10'000;  // one run: every entry has its own noise
  const double ratio = measured_sd(setup, kEntries, 1) / study.central;
  EXPECT_NEAR(ratio, 1.01, 4.5 / std::sqrt(2.0 * kEntries));
}

TEST(SumNoise, OfAcGrowsWithTheNumberOfParties) {
  const CaseStudy study;
  const AveragingSetup setup{study.weights, study.exact, LocalNoise{study.central}};
  constexpr std::size_t kEntries = 20'000;
  const double ratio = measured_sd(setup, kEntries, 1) / study.central;
  EXPECT_NEAR(ratio, std::sqrt(10.0), std::sqrt(10.0) * 4.5 / std::sqrt(2.0 * kEntries));
}

}  // namespace
}  // namespace sotto
