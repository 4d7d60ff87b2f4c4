#include <gtest/gtest.h>

#include "base/parallel.h"
#include "support/paillier_keys.h"

namespace sotto::paillier {
namespace {

using namespace paillier_test;

class Paillier : public ::testing::TestWithParam<Randomness> {
 protected:
  [[nodiscard]] const DecryptionKey& key() const { return shared_key(2048, GetParam()); }
  [[nodiscard]] const EncryptionKey& open() const { return key().encryption_key(); }
  SeededRandom random{1};
};

INSTANTIATE_TEST_SUITE_P(Both, Paillier, ::testing::Values(Randomness::kHalf, Randomness::kFull),
                         [](const auto& param) {
                           return param.param == Randomness::kHalf ? "half" : "full";
                         });

// The largest plaintexts, small ones, and some of every size, both signs.
IntegerVector telling_plaintexts(RandomSource& random, std::size_t bits) {
  const Integer largest = (Integer(1) << bits) - 1;
  IntegerVector plain{0, 1, -1, largest, -largest, Integer(largest - 1), Integer(1 - largest)};
  for (std::size_t size = 1; size < bits; size += 500) {
    plain.push_back(random_bits(size, random));
    plain.push_back(-random_bits(size, random));
  }
  return plain;
}

TEST_P(Paillier, DecryptsWhatAnybodyEncrypted) {
  const IntegerVector plain = telling_plaintexts(random, 2046);
  EXPECT_EQ(key().decrypt(open().encrypt(plain, random)).value(), plain);
  EXPECT_EQ(key().decrypt(key().encrypt(plain, random)).value(), plain);
}

TEST_P(Paillier, AddsUnderEncryption) {
  const IntegerVector left = telling_plaintexts(random, 2045);
  IntegerVector right = left;
  std::ranges::reverse(right);
  const auto sum = open().add_and_scale(open().encrypt(left, random), right, 1, 1, random);
  const IntegerVector plain = key().decrypt(sum).value();
  for (std::size_t k = 0; k < left.size(); ++k) EXPECT_EQ(plain[k], Integer(left[k] + right[k]));
}

TEST_P(Paillier, MultipliesUnderEncryption) {
  const IntegerVector plain = telling_plaintexts(random, 1900);
  const Ciphertexts encrypted = key().encrypt(plain, random);
  const IntegerVector nothing(plain.size());
  for (const Integer& factor :
       IntegerVector{0, 1, 2, 1000, (Integer(1) << 40) - 1, (Integer(1) << 146) - 1}) {
    const Ciphertexts product = open().add_and_scale(encrypted, nothing, factor, 146, random);
    const IntegerVector scaled = key().decrypt(product).value();
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_EQ(scaled[k], Integer(plain[k] * factor)) << factor;
    }
  }
}

TEST_P(Paillier, AnAnswerThatAddsNothingChangesTheCiphertextAndNotThePlaintext) {
  const IntegerVector plain{-5, -5, 0};
  const Ciphertexts first = key().encrypt(plain, random);
  const Ciphertexts second = open().add_and_scale(first, IntegerVector(3), 1, 1, random);
  for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_NE(first[k], second[k]);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(second[0], second[1]);
  EXPECT_EQ(key().decrypt(second).value(), plain);
}

TEST_P(Paillier, AnswersOfAShuffleAreTheStepsOneByOne) {
  const IntegerVector offered = telling_plaintexts(random, 1900);
  IntegerVector own = offered;
  std::ranges::reverse(own);
  const auto reply = open().add_and_scale(key().encrypt(offered, random), own, 977, 10, random);
  const IntegerVector plain = key().decrypt(reply).value();
  for (std::size_t k = 0; k < own.size(); ++k) {
    EXPECT_EQ(plain[k], Integer(977 * (offered[k] + own[k])));
  }
  EXPECT_TRUE(open().add_and_scale({}, {}, 977, 10, random).empty());
}

TEST_P(Paillier, KeysSurviveTheWire) {
  const auto cipher = paillier_cipher(2048, GetParam()).value();
  const auto read = cipher->read_key(open().serialised());
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ((*read)->serialised(), open().serialised());
  const IntegerVector plain{-7, 1};
  EXPECT_EQ(key().decrypt((*read)->encrypt(plain, random)).value(), plain);
}

TEST_P(Paillier, TheSameRandomBitsGiveTheSameKeyAndCiphertexts) {
  const auto cipher = paillier_cipher(2048, GetParam()).value();
  std::vector<std::string> seen;
  for (int k = 0; k < 2; ++k) {
    SeededRandom again(42);
    const auto fresh = cipher->generate(again);
    seen.push_back(fresh->encryption_key().serialised() +
                   fresh->encrypt(IntegerVector{3}, again)[0].get_str());
  }
  EXPECT_EQ(seen[0], seen[1]);
}

// Counts the bits that are drawn: a randomiser that is shorter, or serves twice, hides less.
class CountedRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override {
    bits += 8 * bytes.size();
    random_.fill(bytes);
  }
  std::uint64_t bits64() override {
    bits += 64;
    return random_.bits64();
  }
  std::size_t bits = 0;

 private:
  SeededRandom random_{1};
};

TEST_P(Paillier, EveryCiphertextHasARandomiserOfItsOwnThatIsAsLongAsItMustBe) {
  const IntegerVector same{4, 4, 4};
  CountedRandom others;
  const Ciphertexts by_others = open().encrypt(same, others);
  EXPECT_GE(others.bits, 3 * (GetParam() == Randomness::kHalf ? 1024U : 2048U));
  CountedRandom answer;
  const Ciphertexts answered = open().add_and_scale(by_others, same, 3, 2, answer);
  EXPECT_GE(answer.bits, 3 * (GetParam() == Randomness::kHalf ? 1024U : 2048U));
  CountedRandom owner;
  const Ciphertexts by_owner = key().encrypt(same, owner);
  EXPECT_GE(owner.bits, 3 * 2048U);
  for (const Ciphertexts& three : {by_others, answered, by_owner}) {
    EXPECT_EQ((std::set<Integer>{three.begin(), three.end()}.size()), 3U);
  }
}

// Whoever prepares draws what an encryption would have drawn, and draws it once.
TEST_P(Paillier, PreparedRandomisersAreUsedOnceAndFirst) {
  const auto cipher = paillier_cipher(2048, GetParam()).value();
  const IntegerVector plain{1, -2, 3, 4, -5};
  SeededRandom unprepared(8);
  const auto one = cipher->generate(unprepared);
  const Ciphertexts expected = one->encrypt(plain, unprepared);
  SeededRandom ahead(8);
  const auto other = cipher->generate(ahead);
  other->prepare(3, ahead);
  Ciphertexts found = other->encrypt(std::span(plain).first(2), ahead);
  for (Integer& c : other->encrypt(std::span(plain).last(3), ahead)) {  // one prepared, two fresh
    found.push_back(std::move(c));
  }
  EXPECT_EQ(found, expected);
  const Ciphertexts again = other->encrypt(plain, ahead);
  for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_NE(again[k], expected[k]);
  EXPECT_EQ(other->decrypt(found).value(), plain);
  EXPECT_EQ(other->decrypt(again).value(), plain);
}

TEST_P(Paillier, KeyPairsAreTheSameWhateverIsMadeBesideThemAndOnHowManyCores) {
  const auto cipher = paillier_cipher(2048, GetParam()).value();
  const KeyedRandom::Key from{};
  const auto made = [&](const std::vector<std::uint32_t>& numbers) {
    std::vector<std::string> found;
    for (const auto& pair : generate_key_pairs(*cipher, from, numbers, 1)) {
      const Integer prepared = pair->encrypt(IntegerVector{1}, random)[0];  // draws nothing more
      found.push_back(pair->encryption_key().serialised() + prepared.get_str());
    }
    return found;
  };
  const auto three = made({4, 1, 9});
  EXPECT_EQ((std::set<std::string>{three.begin(), three.end()}.size()), 3U);
  EXPECT_EQ(made({9}), std::vector{three[2]});
  std::vector<std::string> on_one_core;
  parallel_for(1, 1, [&](std::size_t) { on_one_core = made({4, 1}); });
  EXPECT_EQ(on_one_core, (std::vector{three[0], three[1]}));
}

// Random numbers of all sizes, both signs, and a chain of all operations.
TEST(PaillierProperty, EveryChainOfOperationsIsTheSameInTheClear) {
  const DecryptionKey& key = shared_key(2048, Randomness::kHalf);
  const EncryptionKey& open = key.encryption_key();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SeededRandom random(seed);
    const auto number = [&](std::size_t max_bits) {
      Integer drawn = random_bits(1 + random.below(max_bits), random);
      return random.below(2) == 0 ? drawn : Integer(-drawn);
    };
    IntegerVector clear{number(1000), number(1000), number(1000)};
    Ciphertexts hidden = key.encrypt(clear, random);
    for (int step = 0; step < 4; ++step) {
      IntegerVector other{number(1500), number(1500), number(1500)};
      const Integer factor = abs(number(64));
      switch (random.below(4)) {
        case 0:
          hidden = open.add_and_scale(hidden, other, 1, 1, random);
          for (std::size_t k = 0; k < 3; ++k) clear[k] += other[k];
          break;
        case 1:
          hidden = open.add_and_scale(hidden, IntegerVector(3), factor, 64, random);
          for (Integer& x : clear) x *= factor;
          break;
        case 2:
          hidden = open.add_and_scale(hidden, IntegerVector(3), 1, 1, random);
          break;
        default:
          hidden = open.add_and_scale(hidden, other, factor, 64, random);
          for (std::size_t k = 0; k < 3; ++k) clear[k] = (clear[k] + other[k]) * factor;
      }
    }
    EXPECT_EQ(key.decrypt(hidden).value(), clear) << "seed " << seed;
  }
}

TEST(PaillierCipher, RefusesKeySizesOutOfRange) {
  for (const std::size_t bits : {0U, 1024U, 2047U, 2049U, 2080U, 16448U}) {
    const auto cipher = paillier_cipher(bits, Randomness::kHalf);
    ASSERT_FALSE(cipher.has_value()) << bits;
    EXPECT_EQ(cipher.error().name, "E-key-bits");
  }
}

}  // namespace
}  // namespace sotto::paillier
