#include "base/result.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return bad_input("E-odd", "7 is odd", "an even number");
  return number / 2;
}

TEST(Error, ReadsAsWhatThenWhereThenWhatWouldBeRight) {
  Error error = half(7).error();
  EXPECT_EQ(error.to_string(), "error[E-odd]: 7 is odd; an even number");
  error.where = "line 9";
  EXPECT_EQ(error.to_string(), "error[E-odd]: 7 is odd; line 9; an even number");
  error.fix.clear();
  EXPECT_EQ(error.to_string(), "error[E-odd]: 7 is odd; line 9");
}

TEST(Error, KeepsTheFirstPlaceItWasGiven) {
  Error error = half(7).error();
  error = std::move(error).at("line 9");
  error = std::move(error).at("somewhere in study.toml");
  EXPECT_EQ(error.where, "line 9");
  EXPECT_EQ(error.what, "7 is odd");
  EXPECT_EQ(error.name, "E-odd");
}

TEST(Error, LeadsToTheExitStatusThatScriptsRelyOn) {
  EXPECT_EQ(static_cast<int>(failed("E-a", "", "").status), 1);
  EXPECT_EQ(static_cast<int>(bad_input("E-a", "", "").status), 2);
  EXPECT_EQ(static_cast<int>(refused("E-a", "", "").status), 3);
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(half(8).value(), 4);
  EXPECT_FALSE(half(7));
}

}  // namespace
}  // namespace sotto
