#include "privacy/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace sotto {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Budget, KeepsWhatItWasMadeOf) {
  const auto budget = Budget::make(1.5, 1e-6);
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->epsilon.value(), 1.5);
  EXPECT_EQ(budget->delta.value(), 1e-6);
}

TEST(Budget, RefusesAnEpsilonThatIsNotFiniteAndPositive) {
  for (const double value : {0.0, -1.0, kInfinity, -kInfinity, kNaN}) {
    const auto result = Epsilon::make(value);
    ASSERT_FALSE(result) << value;
    EXPECT_EQ(result.error().name, "E-epsilon");
    EXPECT_EQ(result.error().status, Status::kBadInput);
  }
}

TEST(Budget, RefusesADeltaOutsideTheOpenUnitInterval) {
  for (const double value : {0.0, -0.1, 1.0, 1.5, kInfinity, kNaN}) {
    const auto result = Delta::make(value);
    ASSERT_FALSE(result) << value;
    EXPECT_EQ(result.error().name, "E-delta");
  }
}

TEST(Budget, RefusesASensitivityThatIsNotFiniteAndPositive) {
  for (const double value : {0.0, -2.0, kInfinity, kNaN}) {
    const auto result = Sensitivity::make(value);
    ASSERT_FALSE(result) << value;
    EXPECT_EQ(result.error().name, "E-sensitivity");
  }
}

TEST(Budget, NamesTheFirstPartThatIsWrong) {
  EXPECT_EQ(Budget::make(-1, 2).error().name, "E-epsilon");
  EXPECT_EQ(Budget::make(1, 2).error().name, "E-delta");
}

TEST(Budget, SaysTheValueGivenAndWhatWouldBeRight) {
  const Error error = Epsilon::make(-0.25).error();
  EXPECT_THAT(error.what, HasSubstr("-0.25"));
  EXPECT_THAT(error.fix, HasSubstr("above 0"));
  EXPECT_THAT(Delta::make(1.5).error().what, HasSubstr("1.5"));
  EXPECT_THAT(Sensitivity::make(-7).error().what, HasSubstr("-7"));
}

TEST(Budget, AcceptsTheEdgesOfWhatADoubleCanSay) {
  EXPECT_TRUE(Budget::make(std::numeric_limits<double>::min(), 1e-300));
  EXPECT_TRUE(Budget::make(std::numeric_limits<double>::max(), 1 - 1e-16));
}

}  // namespace
}  // namespace sotto
