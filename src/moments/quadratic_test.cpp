#include "moments/quadratic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "moments/costs.h"

namespace sotto {
namespace {

Quadratic diagonal(double first, double second) {
  Quadratic q{.a = Eigen::MatrixXd::Zero(2, 2), .b = Eigen::VectorXd::Zero(2)};
  q.a(0, 0) = first;
  q.a(1, 1) = second;
  return q;
}

TEST(Minimiser, SolvesAHandMadeProblem) {
  // A = [[4, 1], [1, 3]], B = (−1, −2): x* = (1/11, 7/11).
  Quadratic one = diagonal(3, 1);
  Quadratic two = diagonal(1, 2);
  one.a(0, 1) = one.a(1, 0) = 1;
  one.b << -1, 0;
  two.b << 0, -2;
  const auto x = minimiser(std::vector{one, two});
  ASSERT_TRUE(x.has_value());
  EXPECT_NEAR((*x)(0), 1.0 / 11, 1e-15);
  EXPECT_NEAR((*x)(1), 7.0 / 11, 1e-15);
}

TEST(Minimiser, LeavesNoGradient) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto family = paper_family(7, 6, seed);
    ASSERT_TRUE(family.has_value());
    const auto x = minimiser(*family);
    ASSERT_TRUE(x.has_value());
    const Quadratic total = sum(*family);
    EXPECT_LT((total.a * *x + total.b).norm(), 1e-11) << "seed " << seed;
  }
}

TEST(Minimiser, NeedsOnlyTheSumToBePositiveDefinite) {
  EXPECT_FALSE(minimiser(std::vector{diagonal(-1, 2)}).has_value());
  EXPECT_TRUE(minimiser(std::vector{diagonal(-1, 2), diagonal(2, 1)}).has_value());
}

TEST(Minimiser, NamesTheSmallestEigenvalueOfAnIndefiniteSum) {
  const auto x = minimiser(std::vector{diagonal(5, -0.25)});
  ASSERT_FALSE(x.has_value());
  EXPECT_EQ(x.error().name, "E-problem-indefinite");
  EXPECT_THAT(x.error().what, testing::HasSubstr("-0.25"));
  EXPECT_EQ(x.error().status, Status::kBadInput);
}

TEST(Minimiser, TakesASingularSumForIndefinite) {
  EXPECT_FALSE(minimiser(std::vector{diagonal(5, 0)}).has_value());
  EXPECT_FALSE(minimiser(std::vector{diagonal(5, 1e-17)}).has_value());
  EXPECT_FALSE(minimiser(std::vector{diagonal(0, 0)}).has_value());
}

TEST(SumDeathTest, RefusesProblemsOfDifferentSizes) {
  const Quadratic small{.a = Eigen::MatrixXd::Identity(1, 1), .b = Eigen::VectorXd::Zero(1)};
  EXPECT_DEATH((void)sum(std::vector{diagonal(1, 1), small}), "one size");
  EXPECT_DEATH((void)sum(std::vector<Quadratic>{}), "at least one party");
}

}  // namespace
}  // namespace sotto
