#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "paillier/cipher.h"

namespace sotto {
namespace {

struct IdealCipher : ::testing::Test {
  SeededRandom random{1};
  std::unique_ptr<DecryptionKey> key = ideal_cipher().generate(random);
};

RC_GTEST_PROP(IdealCipherProperty, AddsAndMultipliesUnderEncryption, (long x, long y, int factor)) {
  SeededRandom random(static_cast<std::uint64_t>(x));
  const auto key = ideal_cipher().generate(random);
  const EncryptionKey& open = key->encryption_key();
  const IntegerVector left{Integer(x), Integer(-x)};
  const IntegerVector right{Integer(y), Integer(y) << 300};
  const auto scaled = open.add_and_scale(open.encrypt(left, random), right, factor, 32, random);
  const auto plain = key->decrypt(scaled);
  RC_ASSERT(plain.has_value());
  for (std::size_t k = 0; k < left.size(); ++k) {
    const Integer expected = factor * (left[k] + right[k]);
    RC_ASSERT((*plain)[k] == expected);
  }
}

TEST_F(IdealCipher, AnAnswerThatAddsNothingChangesTheCiphertextAndNotThePlaintext) {
  const EncryptionKey& open = key->encryption_key();
  const IntegerVector plain{Integer(-5)};
  const Ciphertexts first = open.encrypt(plain, random);
  const Ciphertexts second = open.add_and_scale(first, IntegerVector(1), 1, 1, random);
  EXPECT_NE(first, second);
  EXPECT_EQ(*key->decrypt(second), plain);
}

TEST_F(IdealCipher, RefusesCiphertextsOfAnotherKey) {
  const auto other = ideal_cipher().generate(random);
  const Ciphertexts foreign = other->encryption_key().encrypt(IntegerVector{Integer(1)}, random);
  const auto plain = key->decrypt(foreign);
  ASSERT_FALSE(plain.has_value());
  EXPECT_EQ(plain.error().name, "E-cipher-text");
}

TEST_F(IdealCipher, ReadsItsOwnKeysAndRefusesMalformedOnes) {
  const auto read = ideal_cipher().read_key(key->encryption_key().serialised());
  ASSERT_TRUE(read.has_value());
  const Ciphertexts sent = (*read)->encrypt(IntegerVector{Integer(7)}, random);
  EXPECT_EQ(*key->decrypt(sent), IntegerVector{Integer(7)});
  for (const char* bad : {"", "ideal:", "ideal:12", "ideal:zzzzzzzzzzzzzzzz", "paillier:00",
                          "ideal:0123456789abcdef0"}) {
    EXPECT_FALSE(ideal_cipher().read_key(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace sotto
