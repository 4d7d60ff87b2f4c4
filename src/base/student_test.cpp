#include "base/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 30-digit arithmetic: I_x(df/2, 1/2), x = df/(df + t²), and its root.
TEST(Student, AgreesWithThirtyDigits) {
  EXPECT_NEAR(t_tail(2, 5), 0.10193947882985828, 1e-13);
  EXPECT_NEAR(t_tail(-2, 5), 0.10193947882985828, 1e-13);
  EXPECT_NEAR(t_tail(10, 1) / 0.06345103486110712, 1, 1e-12);
  EXPECT_NEAR(t_tail(5, 19990) / 5.78153848352309e-07, 1, 1e-9);
  EXPECT_NEAR(t_tail(1.959963984540054, kInfinity), 0.05, 1e-15);
  EXPECT_EQ(t_tail(0, 3), 1);
  EXPECT_NEAR(t_reach(0.95, 5), 2.5705818356363148, 1e-11);
  EXPECT_NEAR(t_reach(0.95, 1), 12.706204736174693, 1e-10);
  EXPECT_NEAR(t_reach(0.9, 30), 1.6972608865939580, 1e-11);
  EXPECT_NEAR(t_reach(0.95, kInfinity), 1.959963984540054, 1e-12);
  EXPECT_EQ(t_reach(0, 7) < 1e-9, true);
}

TEST(Student, ReachesWhatItsTailLeaves) {
  for (const double freedom : {1.0, 2.5, 40.0, 1e5, kInfinity}) {
    for (const double level : {0.01, 0.5, 0.9, 0.999, 0.999999}) {
      EXPECT_NEAR(t_tail(t_reach(level, freedom), freedom) / (1 - level), 1, 1e-9)
          << freedom << ' ' << level;
    }
  }
}

}  // namespace
}  // namespace sotto
