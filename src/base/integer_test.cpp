#include "base/integer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace sotto {
namespace {

Rational ratio(const char* text) {
  Rational value(text);
  value.canonicalize();
  return value;
}

Integer power_of_ten(unsigned exponent) {
  Integer result;
  mpz_ui_pow_ui(result.get_mpz_t(), 10, exponent);
  return result;
}

// A rational of any sign and of sizes far beyond those of doubles.
Rational random_rational(std::uint64_t seed, unsigned max_bits) {
  SeededRandom random(seed);
  const auto draw = [&] {
    const Integer bound = Integer(1) << (1 + random.below(max_bits));
    return Integer(random.below(bound));
  };
  const Integer numerator = draw();
  Rational value(random.below(2) == 0 ? numerator : Integer(-numerator), draw() + 1);
  value.canonicalize();
  return value;
}

TEST(Ceiling, AndFloorGoUpAndDownOnBothSidesOfZero) {
  EXPECT_EQ(ceiling(ratio("7/2")), 4);
  EXPECT_EQ(ceiling(ratio("-7/2")), -3);
  EXPECT_EQ(floor(ratio("7/2")), 3);
  EXPECT_EQ(floor(ratio("-7/2")), -4);
  EXPECT_EQ(ceiling(Rational(5)), 5);
  EXPECT_EQ(floor(Rational(-5)), -5);
}

TEST(CeilingSqrt, IsExactForSquaresAndRoundsUpOtherwise) {
  EXPECT_EQ(ceiling_sqrt(0), 0);
  EXPECT_EQ(ceiling_sqrt(1), 1);
  EXPECT_EQ(ceiling_sqrt(ratio("1/1000000")), 1);
  EXPECT_EQ(ceiling_sqrt(ratio("10001/10000")), 2);
  EXPECT_EQ(ceiling_sqrt(144), 12);
  EXPECT_EQ(ceiling_sqrt(145), 13);
  const Integer root = power_of_ten(350) + 7;
  EXPECT_EQ(ceiling_sqrt(root * root), root);
  EXPECT_EQ(ceiling_sqrt(root * root + ratio("1/9")), root + 1);
  EXPECT_EQ(ceiling_sqrt(root * root - ratio("1/9")), root);
}

RC_GTEST_PROP(CeilingSqrt, IsTheSmallestIntegerWhoseSquareIsNotBelow, (std::uint64_t seed)) {
  const Rational value = abs(random_rational(seed, 300));
  const Integer root = ceiling_sqrt(value);
  RC_ASSERT(Rational(root * root) >= value);
  RC_ASSERT(root == 0 || Rational((root - 1) * (root - 1)) < value);
}

RC_GTEST_PROP(NearestDouble, GivesEveryDoubleBack, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const auto value = std::bit_cast<double>(random.bits64());
  RC_PRE(std::isfinite(value));
  RC_ASSERT(nearest_double(Rational(value)) == value);
}

TEST(NearestDouble, SendsHalvesToEven) {
  const Rational one_ulp = power_of_two(-52);
  EXPECT_EQ(nearest_double(1 + one_ulp / 2), 1.0);
  EXPECT_EQ(nearest_double(1 + one_ulp * 3 / 2), 1 + std::ldexp(2.0, -52));
  EXPECT_EQ(nearest_double(-1 - one_ulp / 2), -1.0);
  EXPECT_EQ(nearest_double(-1 - one_ulp * 3 / 2), -1 - std::ldexp(2.0, -52));
}

TEST(NearestDouble, SeesTheLeastBitBesideAHalf) {
  const Rational one_ulp = power_of_two(-52);
  const Rational least = power_of_two(-900);
  EXPECT_EQ(nearest_double(1 + one_ulp / 2 + least), 1 + std::ldexp(1.0, -52));
  EXPECT_EQ(nearest_double(1 + one_ulp * 3 / 2 - least), 1 + std::ldexp(1.0, -52));
  EXPECT_EQ(nearest_double(-1 - one_ulp / 2 - least), -1 - std::ldexp(1.0, -52));
}

TEST(NearestDouble, OverflowsWhereRoundingDoes) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Rational half_ulp = power_of_two(970);
  EXPECT_EQ(nearest_double(Rational(kLargest) + half_ulp - 1), kLargest);
  EXPECT_EQ(nearest_double(Rational(kLargest) + half_ulp), kInfinity);
  EXPECT_EQ(nearest_double(-Rational(power_of_ten(700))), -kInfinity);
  EXPECT_EQ(nearest_double(power_of_two(100'000)), kInfinity);
}

TEST(NearestDouble, RoundsOnceWhereDoublesAreSubnormal) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  const Rational least = power_of_two(-1074);
  EXPECT_EQ(nearest_double(least), kLeast);
  EXPECT_EQ(nearest_double(least / 2), 0.0);
  EXPECT_EQ(nearest_double(least / 2 + power_of_two(-1200)), kLeast);
  EXPECT_EQ(nearest_double(least * 3 / 2), 2 * kLeast);
  EXPECT_EQ(nearest_double(least / 1000), 0.0);
  EXPECT_TRUE(std::signbit(nearest_double(-least / 1000)));
  EXPECT_EQ(nearest_double(power_of_two(-100'000)), 0.0);
  // Rounded to 53 bits first this would be 1½ units, and then 2.
  EXPECT_EQ(nearest_double(least * (Rational(3, 2) - power_of_two(-60))), kLeast);
  EXPECT_EQ(nearest_double(least * (Rational(5, 2) + power_of_two(-60))), 3 * kLeast);
}

RC_GTEST_PROP(NearestDouble, IsNoFartherThanItsNeighbours, (std::uint64_t seed)) {
  SeededRandom random(seed, 1);
  const int exponent = static_cast<int>(random.below(2200)) - 1150;
  const Rational value = random_rational(seed, 200) * power_of_two(exponent);
  const double nearest = nearest_double(value);
  if (std::isinf(nearest)) {
    RC_ASSERT(abs(value) >= Rational(std::numeric_limits<double>::max()));
    return;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Rational distance = abs(value - Rational(nearest));
  for (const double other :
       {std::nextafter(nearest, kInfinity), std::nextafter(nearest, -kInfinity)}) {
    if (std::isfinite(other)) RC_ASSERT(distance <= abs(value - Rational(other)));
  }
}

TEST(Log10, OfNumbersFarBeyondDoubles) {
  EXPECT_NEAR(log10(Rational(power_of_ten(700))), 700, 701e-14);
  EXPECT_NEAR(log10(Rational(Integer(1), power_of_ten(700))), -700, 701e-14);
  EXPECT_NEAR(log10(Rational(2 * power_of_ten(676))), 676.30102999566398120, 677e-14);
  EXPECT_NEAR(log10(Rational(1)), 0, 1e-14);
  EXPECT_NEAR(log10(ratio("3/7")), -0.36797678529459443269, 1e-14);  // reference: 20 digits
}

TEST(PowerOfTwo, IsExact) {
  EXPECT_EQ(power_of_two(0), 1);
  EXPECT_EQ(power_of_two(10), 1024);
  EXPECT_EQ(power_of_two(-3), ratio("1/8"));
  EXPECT_EQ(power_of_two(-1114) * power_of_two(1114), 1);
}

TEST(IntegerDeathTest, NegativeArgumentsAreBugs) {
  EXPECT_DEATH((void)ceiling_sqrt(-1), "this is a bug in sotto");
  EXPECT_DEATH((void)log10(Rational(0)), "this is a bug in sotto");
}

}  // namespace
}  // namespace sotto
