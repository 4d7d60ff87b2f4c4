#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "privacy/calibrate/noise.h"

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(SolverNames, AreReadAsTheyAreWritten) {
  for (const Solver solver : {Solver::kGt, Solver::kDishuf, Solver::kAc, Solver::kPairwise}) {
    EXPECT_EQ(*solver_from(to_string(solver)), solver);
  }
  const auto none = solver_from("gd");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().name, "E-solver");
  EXPECT_THAT(none.error().fix, HasSubstr("gt, dishuf, ac"));
}

TEST(SolverNames, OfSolversThatAreAddedAreNewAndPlain) {
  const auto added = privacy::add_solver("solver-names-test");
  ASSERT_TRUE(added.has_value());
  EXPECT_GT(*added, Solver::kPairwise);
  EXPECT_EQ(to_string(*added), "solver-names-test");
  EXPECT_EQ(*solver_from("solver-names-test"), *added);
  for (const char* name : {"solver-names-test", "gt", "", "Mine", "a b", "a\nb"}) {
    const auto refused = privacy::add_solver(name);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_EQ(refused.error().name, "E-mechanism-name") << name;
  }
}

// Against the second moment of its density, integrated.
TEST(LaplaceNoise, HasTheStandardDeviationOfItsDensity) {
  for (const double bound : {1e-4, 0.01, 0.5, 3.0, 40.0}) {
    const LaplaceNoise noise{.scale = 1.7, .bound = bound};
    constexpr int kSteps = 200'000;
    double mass = 0;
    double square = 0;
    for (int k = 0; k < kSteps; ++k) {
      const double x = (k + 0.5) * bound / kSteps;
      mass += std::exp(-x / noise.scale);
      square += x * x * std::exp(-x / noise.scale);
    }
    EXPECT_NEAR(noise.sd(), std::sqrt(square / mass), 1e-4 * noise.sd()) << bound;
  }
  EXPECT_DOUBLE_EQ((LaplaceNoise{.scale = 1.7}).sd(), 1.7 * std::sqrt(2.0));
}

}  // namespace
}  // namespace sotto
