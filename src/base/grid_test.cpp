#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "base/integer.h"
#include "base/random.h"

namespace sotto {
namespace {

double random_double(RandomSource& random, int low_exponent, int high_exponent) {
  const auto mantissa = static_cast<double>(random.below(std::uint64_t{1} << 53));
  const auto span = static_cast<std::uint64_t>(high_exponent - low_exponent) + 1;
  const double size =
      std::ldexp(mantissa, low_exponent - 53 + static_cast<int>(random.below(span)));
  return random.below(2) == 0 ? size : -size;
}

RC_GTEST_PROP(Grid, GivesBackEveryDoubleThatStandsOnIt, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const Grid grid{static_cast<int>(random.below(200)) - 150};
  // Whatever the double, its own last place may be finer than the grid: make it coarser.
  const double value = std::ldexp(random_double(random, 53, 60), grid.log2_step);
  const double on_grid =
      std::ldexp(std::nearbyint(std::ldexp(value, -grid.log2_step)), grid.log2_step);
  RC_ASSERT(grid.value(grid.index(on_grid)) == on_grid);
}

RC_GTEST_PROP(Grid, RoundsByHalfAStepAtMost, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const Grid grid{static_cast<int>(random.below(100)) - 60};
  const double value = random_double(random, -80, 80);
  const Rational rounded = grid.index(value) * grid.step();
  RC_ASSERT(abs(rounded - Rational(value)) <= grid.step() / 2);
}

TEST(Grid, SendsHalvesAwayFromZero) {
  const Grid grid{-1};
  EXPECT_EQ(grid.index(0.25), 1);
  EXPECT_EQ(grid.index(-0.25), -1);
  EXPECT_EQ(grid.index(0.75), 2);
  EXPECT_EQ(grid.index(-0.75), -2);
  EXPECT_EQ(grid.index(0.2499), 0);
  EXPECT_EQ(grid.index(0), 0);
}

TEST(Grid, HoldsTheLargestAndTheSmallestDouble) {
  const Grid grid{-1074};
  for (const double value :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(),
        -std::numeric_limits<double>::min()}) {
    EXPECT_EQ(grid.value(grid.index(value)), value);
  }
}

TEST(Grid, DividesExactlyBeforeItRounds) {
  const Grid grid{-2};
  EXPECT_EQ(grid.value(3), 0.75);
  EXPECT_EQ(grid.value(4, 3), 1.0 / 3);
  EXPECT_EQ(grid.value(-4, 3), -1.0 / 3);
  EXPECT_EQ(grid.value(Integer("1000000000000000000000000000000"),
                       Integer("1000000000000000000000000000000")),
            0.25);
}

TEST(Grid, ForASensitivityHasAStepBetweenTwoToTheMinus41And40OfIt) {
  for (const double sensitivity : {1.0, 3.0, 0.1, 1e-300, 1e300, std::sqrt(3.0), 5e-324}) {
    const Grid grid = Grid::for_sensitivity(sensitivity);
    EXPECT_LE(grid.step(), Rational(sensitivity) * power_of_two(-40)) << sensitivity;
    EXPECT_GT(grid.step(), Rational(sensitivity) * power_of_two(-41)) << sensitivity;
  }
}

// What the calibration adds to Δ: rounding both ends of a change of Δ adds at most a step.
RC_GTEST_PROP(Grid, LengthensAChangeByOneStepAtMost, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const Grid grid = Grid::for_sensitivity(1.0);
  const double from = random_double(random, -10, 10);
  const double to = random_double(random, -10, 10);
  const Rational exact = abs(Rational(from) - Rational(to));
  const Rational rounded = abs(grid.index(from) - grid.index(to)) * grid.step();
  RC_ASSERT(rounded <= exact + grid.step());
}

TEST(GridDeathTest, ValuesThatAreNotFiniteAreBugs) {
  EXPECT_DEATH((void)Grid{0}.index(std::nan("")), "this is a bug in sotto");
  EXPECT_DEATH((void)Grid::for_sensitivity(0), "this is a bug in sotto");
  EXPECT_DEATH((void)Grid::for_sensitivity(-1), "this is a bug in sotto");
}

}  // namespace
}  // namespace sotto
