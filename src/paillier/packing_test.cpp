#include "paillier/packing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "paillier/cipher.h"
#include "paillier/primes.h"

namespace sotto::paillier {
namespace {

// Uniform in [−bound, bound], and often one of the two ends.
Integer telling(const Integer& bound, RandomSource& random) {
  switch (random.below(4)) {
    case 0:
      return bound;
    case 1:
      return -bound;
    default:
      return random.below(Integer(2 * bound + 1)) - bound;
  }
}

RC_GTEST_PROP(Packing, GivesBackEveryScaledDifference, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const Integer bound = 1 + random_bits(1 + random.below(200), random);
  const Integer factor_max = 1 + random_bits(1 + random.below(32), random);
  const std::size_t room = 300 + random.below(4000);
  const auto packing = Packing::make(room, bound, factor_max);
  RC_PRE(packing.has_value());
  const std::size_t count = random.below(3 * packing->slots() + 2);
  IntegerVector own;
  IntegerVector theirs;
  for (std::size_t k = 0; k < count; ++k) {
    own.push_back(telling(bound, random));
    theirs.push_back(telling(bound, random));
  }
  const Integer factor = random.below(2) == 0 ? factor_max : random.below(Integer(factor_max + 1));
  const IntegerVector packed_own = packing->pack(own).value();
  const IntegerVector packed_theirs = packing->pack(theirs).value();
  RC_ASSERT(packed_own.size() == packing->plaintexts(count));
  IntegerVector answer;
  for (std::size_t k = 0; k < packed_own.size(); ++k) {
    answer.push_back(factor * (packed_theirs[k] - packed_own[k]));
    RC_ASSERT(abs(answer.back()) < Integer(Integer(1) << room));
  }
  const IntegerVector unpacked = packing->unpack(answer, count).value();
  RC_ASSERT(unpacked.size() == count);
  for (std::size_t k = 0; k < count; ++k) {
    RC_ASSERT(unpacked[k] == Integer(factor * (theirs[k] - own[k])));
  }
}

struct SmallSlots : ::testing::Test {
  // 2·10·100 = 2000 has 11 bits: slots of 13, seven of them in 91 bits.
  Packing packing = Packing::make(90, 100, 10).value();
};

TEST_F(SmallSlots, AreAsWideAsTheLargestAnswerWithSignAndGuard) {
  EXPECT_EQ(packing.slot_bits(), 13U);
  EXPECT_EQ(packing.slots(), 7U);
  EXPECT_EQ(packing.plaintexts(0), 0U);
  EXPECT_EQ(packing.plaintexts(7), 1U);
  EXPECT_EQ(packing.plaintexts(8), 2U);
}

TEST_F(SmallSlots, TakeNothingThatIsLargerThanPromised) {
  EXPECT_TRUE(packing.pack(IntegerVector{100, -100}).has_value());
  for (const int large : {101, -101, 1 << 20}) {
    const auto packed = packing.pack(IntegerVector{0, large, 0});
    ASSERT_FALSE(packed.has_value()) << large;
    EXPECT_EQ(packed.error().name, "E-slot-overflow");
  }
}

TEST_F(SmallSlots, NoticeEveryAnswerThatOverflowed) {
  for (std::size_t slot = 0; slot < 7; ++slot) {
    const Integer unit = Integer(1) << (13 * slot);
    EXPECT_EQ(packing.unpack(IntegerVector{2000 * unit}, 7).value()[slot], 2000);
    EXPECT_EQ(packing.unpack(IntegerVector{-2000 * unit}, 7).value()[slot], -2000);
    for (const int large : {2001, 2047, 2048, 4095, -2001, -4096}) {
      EXPECT_FALSE(packing.unpack(IntegerVector{large * unit}, 7).has_value()) << large;
    }
  }
  // Above the last slot, and in slots that hold no value.
  EXPECT_FALSE(packing.unpack(IntegerVector{Integer(1) << 91}, 7).has_value());
  EXPECT_FALSE(packing.unpack(IntegerVector{-(Integer(1) << 91)}, 7).has_value());
  EXPECT_FALSE(packing.unpack(IntegerVector{Integer(1) << 26}, 2).has_value());
}

TEST(Packing, OfACipherWithoutLimitsStillKeepsTheBounds) {
  const Packing packing = Packing::make(std::nullopt, 100, 10).value();
  EXPECT_EQ(packing.plaintexts(5), 5U);
  EXPECT_EQ(packing.pack(IntegerVector{-3, 100}).value(), (IntegerVector{-3, 100}));
  EXPECT_EQ(packing.unpack(IntegerVector{-2000, 1}, 2).value(), (IntegerVector{-2000, 1}));
  EXPECT_FALSE(packing.pack(IntegerVector{101}).has_value());
  EXPECT_FALSE(packing.unpack(IntegerVector{2001}, 1).has_value());
}

TEST(Packing, SaysWhichKeyWouldDo) {
  for (const std::size_t bits : {2040U, 2046U, 2300U, 5000U}) {
    const Integer bound = Integer(1) << bits;
    const auto refused = Packing::make(kMinKeyBits - 2, bound, 1000);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().name, "E-key-too-short");
    const std::size_t slot = Packing::make(std::nullopt, bound, 1000)->slot_bits();
    const std::size_t needed = key_bits_for_slot(slot);
    EXPECT_NE(refused.error().fix.find(std::to_string(needed)), std::string::npos);
    EXPECT_TRUE(Packing::make(needed - 2, bound, 1000).has_value());
    EXPECT_FALSE(Packing::make(needed - kKeyBitsStep - 2, bound, 1000).has_value());
  }
}

}  // namespace
}  // namespace sotto::paillier
