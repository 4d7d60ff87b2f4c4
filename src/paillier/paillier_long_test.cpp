#include <gtest/gtest.h>

#include "support/kernels.h"
#include "support/paillier_keys.h"

namespace sotto::paillier {
namespace {

using namespace kernel_test;
using namespace paillier_test;

class KernelLong : public ::testing::TestWithParam<KernelMaker> {};

INSTANTIATE_TEST_SUITE_P(Available, KernelLong, ::testing::ValuesIn(kernel_makers()),
                         [](const auto& made) { return made.param.name; });

// 10,000 numbers through every operation, per key size; long exponents are rarer, because GMP's
// plain definition takes its time.
TEST_P(KernelLong, AgreesWithThePlainDefinitionTenThousandTimesPerKeySize) {
  for (const std::size_t bits : {2048U, 3072U, 4096U}) {
    SCOPED_TRACE(bits);
    compare_with_definition(GetParam(), bits, 1250, bits, 48);
    compare_with_definition(GetParam(), bits, 4, bits + 1, bits);
    compare_with_definition(GetParam(), bits / 2, 1250, bits + 2, 48);
    compare_with_definition(GetParam(), bits / 2, 25, bits + 3, bits / 2);
  }
}

TEST(PaillierLong, DecryptsUnderManyKeys) {
  for (const std::size_t key_bits : {2048U, 2368U, 3072U, 4096U}) {
    const auto cipher = paillier_cipher(key_bits, Randomness::kHalf).value();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SeededRandom random(seed);
      const auto key = cipher->generate(random);
      const auto read = cipher->read_key(key->encryption_key().serialised());
      ASSERT_TRUE(read.has_value()) << read.error().to_string();
      IntegerVector plain;
      for (int k = 0; k < 9; ++k) plain.push_back(random_bits(key_bits - 2, random));
      for (int k = 0; k < 9; ++k) plain.push_back(-random_bits(key_bits - 2, random));
      EXPECT_EQ(key->decrypt((*read)->encrypt(plain, random)).value(), plain);
      EXPECT_EQ(key->decrypt(key->encrypt(plain, random)).value(), plain);
    }
  }
}

// Bytes changed, inserted, removed, swapped between keys: refused, or another valid key (a changed
// h may be one), and never a crash.
TEST(PaillierFuzz, DeserialisersTakeAnyBytes) {
  constexpr std::size_t kBits = 2048;
  const auto cipher = paillier_cipher(kBits, Randomness::kHalf).value();
  const std::string good = shared_key(kBits, Randomness::kHalf).encryption_key().serialised();
  SeededRandom random(5);
  std::size_t accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t k = 0; k < changes; ++k) {
      const std::size_t at = bytes.empty() ? 0 : random.below(bytes.size());
      switch (random.below(5)) {
        case 0:
          if (!bytes.empty()) bytes[at] = static_cast<char>(random.bits64());
          break;
        case 1:
          if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
          break;
        case 2:
          bytes.insert(at, random.below(3), static_cast<char>(random.bits64()));
          break;
        case 3:
          bytes.erase(at, random.below(3));
          break;
        default:
          std::fill(bytes.begin() + static_cast<long>(at), bytes.end(),
                    random.below(2) == 0 ? '\0' : '\xff');
      }
    }
    const auto read = cipher->read_key(bytes);
    if (!read) {
      EXPECT_EQ(read.error().name, "E-cipher-key");
      continue;
    }
    ++accepted;
    EXPECT_EQ(bytes.size(), good.size());
    EXPECT_EQ((*read)->serialised(), bytes);
  }
  EXPECT_LT(accepted, 2500U);
}

TEST(PaillierFuzz, DecryptionTakesAnyIntegers) {
  constexpr std::size_t kBits = 2048;
  const DecryptionKey& key = shared_key(kBits, Randomness::kHalf);
  const Integer n = shared_primes(kBits).p * shared_primes(kBits).q;
  SeededRandom random(6);
  for (int round = 0; round < 1000; ++round) {
    Integer c = random_bits(1 + random.below(2 * kBits + 100), random);
    if (random.below(4) == 0) c = -c;
    if (random.below(4) == 0) c *= n;
    const bool unit = c > 0 && c < n * n && gcd(c, n) == 1;
    const auto plain = key.decrypt(Ciphertexts{c});
    ASSERT_EQ(plain.has_value(), unit) << c;
    if (plain) {
      EXPECT_LT(Integer(abs((*plain)[0]) * 2), n);
    }
  }
}

}  // namespace
}  // namespace sotto::paillier
