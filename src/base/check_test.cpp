#include "base/check.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(Check, LetsWhatHoldsPass) {
  check(true, "one is one");
}

TEST(CheckDeathTest, StopsTheProcessAndSaysWhichPromiseAndWhere) {
  EXPECT_DEATH(check(false, "one is two"),
               "this is a bug in sotto: one is two does not hold \\(.*check_test.cpp:[0-9]+\\)");
}

TEST(CheckDeathTest, StopsTheProcessBySignal) {
  EXPECT_EXIT(check(false, "one is two"), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace sotto
