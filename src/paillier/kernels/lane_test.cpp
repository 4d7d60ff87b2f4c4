#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>

#include "base/random.h"
#include "paillier/kernels/crt_power.h"
#include "paillier/kernels/lane_power.h"
#include "support/kernels.h"
#include "support/lanes.h"

// Everything but the dozen instructions of ifma_avx512.cpp and all of fma_avx2.cpp runs here on
// any processor; on one that has the instructions, those too.

namespace sotto::paillier {
namespace {

using namespace kernel_test;

class LaneTest : public ::testing::TestWithParam<LaneKind> {
 protected:
  const LaneArithmetic& arithmetic() const { return GetParam().arithmetic; }
  std::unique_ptr<Kernel> kernel(const Integer& n) const {
    return make_lane_kernel(n, arithmetic());
  }
  KernelMaker maker() const {
    return {GetParam().name, [this](const Integer& n) { return kernel(n); }};
  }
};

INSTANTIATE_TEST_SUITE_P(Lanes, LaneTest, ::testing::ValuesIn(lane_kinds()),
                         [](const auto& kind) { return kind.param.name; });

// All bits set, the largest that L limbs leave room for, and random ones: where carries
// are longest and sums largest.
IntegerVector hard_moduli(std::size_t bits, RandomSource& random) {
  return {(Integer(1) << bits) - 1, (Integer(1) << (bits - 1)) + 1, random_odd(bits, random)};
}

TEST_P(LaneTest, AgreesWithThePlainDefinition) {
  for (const std::size_t bits : {64U, 516U, 517U, 1024U, 1536U}) {
    SCOPED_TRACE(bits);
    compare_with_definition(maker(), bits, 2, bits, std::min<std::size_t>(bits, 600));
  }
}

TEST_P(LaneTest, MultipliesAtTheKeySizes) {
  SeededRandom random(1);
  for (const std::size_t bits : {2048U, 3072U, 4096U}) {
    for (const Integer& n : hard_moduli(bits, random)) {
      const Integer square = n * n;
      IntegerVector x{0, 1, n - 1, n, n + 1, square - 1, square - n};
      while (x.size() < 40) x.push_back(random.below(square));
      IntegerVector y(x.rbegin(), x.rend());
      const auto tested = kernel(n);
      const auto left = tested->load(x);
      const IntegerVector products = tested->store(tested->multiply(left, tested->load(y)));
      const IntegerVector fourth = tested->store(tested->power(left, 4, 3));
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(products[i], Integer(x[i] * y[i] % square)) << i;
        ASSERT_EQ(fourth[i], power_mod(x[i], 4, square)) << i;
      }
    }
  }
}

TEST_P(LaneTest, KnowsTheExtremesOfNumbersAndExponents) {
  SeededRandom random(2);
  for (const std::size_t bits : {2U, 52U, 516U, 1036U}) {
    for (const Integer& n : hard_moduli(bits, random)) {
      const Integer square = n * n;
      const IntegerVector x{0, 1, 2, n - 1, n, n + 1, 2 * n, square - n, square - 2, square - 1};
      const auto tested = kernel(n);
      const Residues loaded = tested->load(x);
      EXPECT_EQ(tested->store(loaded), x);
      for (const std::size_t exponent_bits : {1U, 2U, 40U, 129U}) {
        const Integer ones = (Integer(1) << exponent_bits) - 1;
        for (const Integer& e : {Integer(0), Integer(1), ones, Integer((ones + 1) / 2)}) {
          const IntegerVector powers = tested->store(tested->power(loaded, e, exponent_bits));
          for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(powers[i], power_mod(x[i], e, square)) << n << " " << x[i] << " " << e;
          }
        }
      }
      EXPECT_EQ(tested->store(tested->power(loaded, 0, 0)), IntegerVector(x.size(), 1));
    }
  }
}

TEST_P(LaneTest, TakesBatchesThatFillNoVector) {
  SeededRandom random(3);
  const Integer n = random_odd(512, random);
  const auto tested = kernel(n);
  const auto table = tested->fixed_base(3, 20);
  for (std::size_t count = 0; count <= 17; ++count) {
    IntegerVector x;
    IntegerVector e;
    IntegerVector expected;
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(random.below(n * n));
      e.push_back(random.below(Integer(1) << 20));
      expected.push_back(power_mod(3, e[i], n * n) * x[i] % (n * n));
    }
    EXPECT_EQ(tested->store(tested->multiply(table->power(e), tested->load(x))), expected);
  }
}

// No operation may rely on a number that is fully reduced: the parts of a pair go up to 2n,
// until it leaves.
TEST_P(LaneTest, KeepsPartsBelowTwiceTheModulusAndLeavesWithThemBelowIt) {
  SeededRandom random(4);
  for (const std::size_t bits : {2U, 516U, 520U, 1036U, 1040U}) {
    for (const Integer& n : hard_moduli(bits, random)) {
      const PairModulus modulus(std::span(&n, 1));
      const std::size_t limbs = modulus.limbs();
      Vectors x(modulus.pair_size());
      Vectors z(modulus.pair_size());
      Vectors scratch(modulus.scratch_size());
      const IntegerVector parts{0, 1, n - 1, n, n + 1, 2 * n - 2, 2 * n - 1, random.below(2 * n)};
      for (std::size_t turn = 0; turn < kLanes; ++turn) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          put_number(x.at(0), limbs, lane, parts[lane]);
          put_number(x.at(limbs), limbs, lane, parts[(lane + turn) % kLanes]);
        }
        const Integer r = Integer(1) << (kLimbBits * limbs);
        const auto expect = [&](const char* what, unsigned long power, const Integer& bound) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const Integer value = parts[lane] + parts[(lane + turn) % kLanes] * n;
            const Integer low = get_number(z.at(0), limbs, lane);
            const Integer high = get_number(z.at(limbs), limbs, lane);
            EXPECT_LT(low, bound) << what;
            EXPECT_LT(high, bound) << what;
            EXPECT_EQ(Integer((low + high * n) * r % (n * n)), power_mod(value, power, n * n))
                << what << " modulo " << n;
          }
        };
        arithmetic().square(modulus.view(), z.at(0), x.at(0), scratch.at(0));
        expect("square", 2, 2 * n);
        arithmetic().multiply(modulus.view(), z.at(0), x.at(0), x.at(0), scratch.at(0));
        expect("multiply", 2, 2 * n);
        arithmetic().leave(modulus.view(), z.at(0), x.at(0), scratch.at(0));
        expect("leave", 1, n);
      }
    }
  }
}

TEST_P(LaneTest, RaisesOneBaseToExponentsOfEveryLength) {
  SeededRandom random(5);
  const Integer n = random_odd(512, random);
  const auto tested = kernel(n);
  for (const std::size_t bits : {0U, 1U, 2U, 7U, 8U, 55U, 56U, 57U, 63U, 64U, 65U, 256U}) {
    const Integer base = random.below(n * n);
    IntegerVector exponents{0, (Integer(1) << bits) - 1};
    while (exponents.size() < 11) exponents.push_back(random.below(Integer(1) << bits));
    const IntegerVector powers = tested->store(tested->fixed_base(base, bits)->power(exponents));
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      EXPECT_EQ(powers[i], power_mod(base, exponents[i], n * n)) << bits << " " << exponents[i];
    }
  }
}

TEST_P(LaneTest, TablesOutliveTheirKernel) {
  auto tested = kernel(Integer(1009));
  const auto table = tested->fixed_base(5, 9);
  tested.reset();
  const Residues powers = table->power(IntegerVector{500});
  EXPECT_EQ(kernel(Integer(1009))->store(powers)[0], power_mod(5, 500, 1009 * 1009));
}

TEST_P(LaneTest, ComputesModuloBothPrimesAtOnce) {
  SeededRandom random(6);
  for (const auto& [bits_p, bits_q] : {std::pair{256U, 256U}, {520U, 500U}, {64U, 700U}}) {
    const Integer p = random_odd(bits_p, random);
    const Integer q = random_odd(bits_q, random);
    const CrtLanes both(p, q, arithmetic());
    const Integer e_p = random.below(Integer(1) << 100);
    const Integer e_q = random.below(Integer(1) << 100);
    for (std::size_t count = 0; count <= 9; ++count) {
      IntegerVector x{0, 1, p * p * q * q - 1, p, q * q};
      while (x.size() < 9) x.push_back(random.below(p * p * q * q));
      x.resize(count);
      const auto powers = both.power(x, e_p, e_q, 100);
      ASSERT_EQ(powers.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(Integer(powers[i].p.low + powers[i].p.high * p), power_mod(x[i], e_p, p * p));
        EXPECT_EQ(Integer(powers[i].q.low + powers[i].q.high * q), power_mod(x[i], e_q, q * q));
        EXPECT_LT(powers[i].p.low, p);
        EXPECT_LT(powers[i].q.low, q);
      }
    }
  }
}

// What 1 plus three quarters of its last place is rounded to, and its negative: tells the rounding
// of the processor's vector unit, where std::fegetround asks another.
std::pair<double, double> rounded() {
  const volatile double one = 1;
  const volatile double part = 0x1.8p-53;
  return {one + part, -one - part};
}

// Some lanes round towards zero while they work: whatever the caller's rounding, it is the same
// afterwards, and does not change a product.
TEST_P(LaneTest, NeitherMindsNorChangesHowRealNumbersAreRounded) {
  SeededRandom random(9);
  const Integer n = random_odd(1024, random);
  const auto tested = kernel(n);
  const Integer x = random.below(n * n);
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(rounding);
    const auto before = rounded();
    const Residues loaded = tested->load(IntegerVector{x});
    const IntegerVector power = tested->store(tested->power(loaded, 5, 3));
    const auto after = rounded();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(after, before) << rounding;
    EXPECT_EQ(power[0], power_mod(x, 5, n * n));
  }
}

// Lanes beyond those in use may hold anything.
TEST_P(LaneTest, DoNotDisturbEachOther) {
  SeededRandom random(10);
  const Integer n = random_odd(600, random);
  const PairModulus modulus(std::span(&n, 1));
  Vectors all(modulus.pair_size());
  Vectors some(modulus.pair_size());
  Vectors scratch(modulus.scratch_size());
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Integer x = random.below(n * n);
    modulus.put(all.at(0), lane, x);
    modulus.put(some.at(0), lane, lane < 4 ? x : random.below(n * n));
  }
  arithmetic().square(modulus.view(), all.at(0), all.at(0), scratch.at(0));
  arithmetic().square(modulus.view(3), some.at(0), some.at(0), scratch.at(0));
  for (std::size_t i = 0; i < modulus.pair_size(); ++i) {
    for (std::size_t lane = 0; lane < 3; ++lane) {
      ASSERT_EQ(all.at(i)->lane[lane], some.at(i)->lane[lane]);
    }
  }
}

// Limbs c = 2⁵² − 2²⁶ + 1 have the largest halves: c² is just below 2¹⁰⁴ and just below a
// multiple of 2⁵². At the largest size that is allowed, sums of 64 bits must still do.
TEST_P(LaneTest, HasRoomForTheLargestSums) {
  const Integer limb = (Integer(1) << kLimbBits) - (1 << 26) + 1;
  Integer n = (Integer(1) << 48) - 1;
  for (std::size_t i = 1; i < kMaxLimbs; ++i) n = (n << kLimbBits) + limb;
  const PairModulus modulus(std::span(&n, 1));
  ASSERT_EQ(modulus.limbs(), kMaxLimbs);
  Vectors x(modulus.pair_size());
  Vectors z(modulus.pair_size());
  Vectors scratch(modulus.scratch_size());
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    put_number(x.at(0), kMaxLimbs, lane, lane == 0 ? n - 2 : n);
    put_number(x.at(kMaxLimbs), kMaxLimbs, lane, n);
  }
  const Integer r = Integer(1) << (kLimbBits * kMaxLimbs);
  const Integer expected = (n - 2) * (n - 2) % (n * n);
  arithmetic().square(modulus.view(), z.at(0), x.at(0), scratch.at(0));
  const auto value = [&](std::size_t lane) {
    const Integer low = get_number(z.at(0), kMaxLimbs, lane);
    const Integer high = get_number(z.at(kMaxLimbs), kMaxLimbs, lane);
    return Integer((low + high * n) * r % (n * n));
  };
  EXPECT_EQ(value(0), expected);
  EXPECT_EQ(value(1), 0);
  arithmetic().multiply(modulus.view(), z.at(0), x.at(0), x.at(0), scratch.at(0));
  EXPECT_EQ(value(0), expected);
  EXPECT_EQ(value(7), 0);
}

LaneCount count_of(std::size_t bits, bool square) {
  SeededRandom random(7);
  const Integer n = random_odd(bits, random);
  const PairModulus modulus(std::span(&n, 1));
  const auto& counted = kArithmeticOf<CountedLanes>;
  Vectors z(modulus.pair_size());
  Vectors scratch(modulus.scratch_size());
  lane_count = {};
  if (square) {
    counted.square(modulus.view(), z.at(0), modulus.one(), scratch.at(0));
  } else {
    counted.multiply(modulus.view(), z.at(0), modulus.one(), modulus.one(), scratch.at(0));
  }
  return lane_count;
}

TEST(LaneCost, IsTenLSquaredMultiplicationsForAProductAndSevenForASquare) {
  for (const std::uint64_t bits : {1024U, 1536U, 2048U, 3072U, 4096U}) {
    const std::uint64_t l = bits / 512 * kBlockLimbs;
    EXPECT_EQ(count_of(bits, false).multiplications, 10 * l * l);
    EXPECT_EQ(count_of(bits, true).multiplications, 7 * l * l + l);
  }
}

// Multiplications and the other sums share the processor's vector units; what is not a
// multiplication keeps the kernel from their full throughput.
TEST(LaneCost, IsAlmostAllMultiplications) {
  const LaneCount product = count_of(2048, false);
  const LaneCount square = count_of(2048, true);
  EXPECT_LT(product.others * 100, product.multiplications * 5) << product.memory;
  EXPECT_LT(square.others * 100, square.multiplications * 8) << square.memory;
}

// What the processor does must not depend on secrets: operations are counted, and the
// lanes have no branches of their own.
TEST(LaneCost, OfAPowerDoesNotDependOnTheExponent) {
  SeededRandom random(8);
  const Integer n = random_odd(512, random);
  const auto counted = make_lane_kernel(n, kArithmeticOf<CountedLanes>);
  const auto table = counted->fixed_base(7, 100);
  const Residues x = counted->load(IntegerVector{random.below(n * n)});
  std::vector<std::uint64_t> powers;
  std::vector<std::uint64_t> tables;
  for (const Integer& e : {Integer(0), Integer(1), Integer((Integer(1) << 100) - 1),
                           random.below(Integer(1) << 100)}) {
    lane_count = {};
    static_cast<void>(counted->power(x, e, 100));
    powers.push_back(lane_count.all());
    lane_count = {};
    static_cast<void>(table->power(IntegerVector{e}));
    tables.push_back(lane_count.all());
  }
  EXPECT_GT(powers[0], 0U);
  EXPECT_EQ(std::ranges::count(powers, powers[0]), 4);
  EXPECT_EQ(std::ranges::count(tables, tables[0]), 4);
}

TEST(LaneDeathTest, StopsOnAnEvenModulusAndOnAnExponentThatIsTooLong) {
  EXPECT_DEATH(static_cast<void>(make_lane_kernel(Integer(10), kArithmeticOf<EmulatedLanes>)),
               "odd");
  const auto kernel = make_lane_kernel(Integer(15), kArithmeticOf<EmulatedLanes>);
  const Residues x = kernel->load(IntegerVector{2});
  EXPECT_DEATH(static_cast<void>(kernel->power(x, 8, 3)), "exponent");
}

}  // namespace
}  // namespace sotto::paillier
