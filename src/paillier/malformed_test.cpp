// What a peer may send and must not get away with.

#include <gtest/gtest.h>

#include "paillier/encryption_key.h"
#include "support/paillier_keys.h"

namespace sotto::paillier {
namespace {

using namespace paillier_test;

constexpr std::size_t kBits = 2048;

struct Malformed : ::testing::Test {
  const PrimePair& primes = shared_primes(kBits);
  const DecryptionKey& key = shared_key(kBits, Randomness::kHalf);
  std::unique_ptr<Cipher> cipher = paillier_cipher(kBits, Randomness::kHalf).value();
  PublicNumbers good =
      read_public_numbers(key.encryption_key().serialised(), kBits, Randomness::kHalf).value();
  SeededRandom random{3};

  void expect_refused(const PublicNumbers& numbers, const std::string& why) const {
    const auto read = cipher->read_key(write_public_numbers(numbers, kBits));
    ASSERT_FALSE(read.has_value()) << "accepted: " << why;
    EXPECT_EQ(read.error().name, "E-cipher-key");
    EXPECT_NE(read.error().what.find(why), std::string::npos) << read.error().what;
  }
};

TEST_F(Malformed, KeysOfTheWrongLength) {
  const std::string bytes = key.encryption_key().serialised();
  ASSERT_TRUE(cipher->read_key(bytes).has_value());
  ASSERT_EQ(bytes.size(), kBits / 8 + kBits / 4);
  for (const std::string& bad :
       {std::string(), bytes.substr(1), bytes.substr(0, kBits / 8), bytes + "x", bytes + bytes}) {
    EXPECT_FALSE(cipher->read_key(bad).has_value()) << bad.size();
  }
  const auto longer = paillier_cipher(3072, Randomness::kHalf).value();
  EXPECT_FALSE(longer->read_key(bytes).has_value());
  const auto full = paillier_cipher(kBits, Randomness::kFull).value();
  EXPECT_FALSE(full->read_key(bytes).has_value());
  EXPECT_TRUE(full->read_key(bytes.substr(0, kBits / 8)).has_value());
}

TEST_F(Malformed, ModuliThatAreNoProductOfTwoLongPrimes) {
  const Integer& n = good.n;
  expect_refused({n - 1, good.h}, "even");
  expect_refused({0, good.h}, "even");
  expect_refused({1, good.h}, "bits");
  expect_refused({n >> 1 | 1, good.h}, "bits");
  expect_refused({n + 2, good.h}, "1 modulo 4");
  Integer three_factors = 3 * (n / 3 | 1);
  while (three_factors % 4 != 1) three_factors += 6;
  expect_refused({three_factors, good.h}, "small factor");
  // The largest small prime that is 3 modulo 4, and a prime that is.
  expect_refused({65519 * random_prime(kBits - 16, random), good.h}, "small factor");
  expect_refused({primes.p * primes.p, good.h}, "power");
  Integer prime = (Integer(3) << (kBits - 2)) + 1;
  while (mpz_probab_prime_p(prime.get_mpz_t(), 1) == 0) prime += 4;
  expect_refused({prime, good.h}, "prime");
}

TEST_F(Malformed, BasesThatHideNothing) {
  const Integer& n = good.n;
  const Integer square = n * n;
  for (const Integer& h : IntegerVector{1, square, square + 5}) {
    expect_refused({n, h}, "between 1 and N²");
  }
  expect_refused({n, n}, "factor");
  expect_refused({n, primes.p}, "factor");
  expect_refused({n, primes.q * 12345}, "factor");
  expect_refused({n, square - 1}, "±1");
  expect_refused({n, n + 1}, "±1");
  expect_refused({n, n - 1}, "±1");
  Integer unlike = 2;
  while (mpz_jacobi(unlike.get_mpz_t(), n.get_mpz_t()) != -1) ++unlike;
  expect_refused({n, unlike}, "−x²");
}

TEST_F(Malformed, CiphertextsThatNobodyEncrypted) {
  const Integer& n = good.n;
  const Integer square = n * n;
  const EncryptionKey& open = key.encryption_key();
  const Integer fine = open.encrypt(IntegerVector{5}, random)[0];
  EXPECT_TRUE(open.validate(Ciphertexts{fine, fine}).has_value());
  EXPECT_TRUE(open.validate({}).has_value());
  EXPECT_TRUE(key.decrypt({}).value().empty());
  for (const Integer& bad :
       IntegerVector{0, n, 2 * n, square, square + 1, square - n, -1, -fine, fine + square,
                     primes.p, primes.q, 77 * primes.p, square - primes.q, primes.p * primes.p,
                     primes.q * primes.q, fine * primes.p % square, fine * n % square}) {
    for (const Ciphertexts& batch : {Ciphertexts{bad}, Ciphertexts{fine, bad, fine}}) {
      const auto valid = open.validate(batch);
      ASSERT_FALSE(valid.has_value()) << bad;
      EXPECT_EQ(valid.error().name, "E-cipher-text");
      const auto plain = key.decrypt(batch);
      ASSERT_FALSE(plain.has_value()) << bad;
      EXPECT_EQ(plain.error().name, "E-cipher-text");
    }
  }
}

TEST(Primes, OfAKeyMeetEveryCondition) {
  SeededRandom random(11);
  for (int k = 0; k < 20; ++k) {
    const auto [p, q] = random_prime_pair(512, random);
    EXPECT_TRUE(fit_together({p, q}));
    EXPECT_NE(mpz_probab_prime_p(p.get_mpz_t(), 30), 0);
    EXPECT_NE(mpz_probab_prime_p(q.get_mpz_t(), 30), 0);
    EXPECT_EQ(mpz_sizeinbase(Integer(p * q).get_mpz_t(), 2), 512U);
    EXPECT_EQ(Integer(p % 4), 3);
    EXPECT_EQ(Integer(q % 4), 3);
    EXPECT_EQ(gcd(Integer(p - 1), Integer(q - 1)), 2);
    EXPECT_EQ(gcd(Integer(p * q), Integer((p - 1) * (q - 1))), 1);
  }
}

TEST(Primes, ThatDoNotFitTogetherAreSeen) {
  const Integer p = 1019;                  // 1018 = 2·509
  EXPECT_TRUE(fit_together({p, 787}));     // 786 = 2·3·131
  EXPECT_FALSE(fit_together({p, p}));      // one prime twice
  EXPECT_FALSE(fit_together({p, 797}));    // ≡ 1 mod 4
  EXPECT_FALSE(fit_together({p, 503}));    // shorter
  EXPECT_FALSE(fit_together({691, 787}));  // 690 and 786 share 6
}

// Whose product Fermat's method takes apart at once, from its root on.
TEST(Primes, ThatAreCloseAreSeen) {
  SeededRandom random(13);
  const Integer p = random_prime(256, random);
  const auto follower = [&](const Integer& from) {
    Integer q = from;
    const auto fits_but_for_distance = [&] {
      return q % 4 == 3 && mpz_probab_prime_p(q.get_mpz_t(), 30) != 0 &&
             gcd(Integer(p - 1), Integer(q - 1)) == 2 &&
             gcd(Integer(p * q), Integer((p - 1) * (q - 1))) == 1;
    };
    do ++q;
    while (!fits_but_for_distance());
    return q;
  };
  EXPECT_FALSE(fit_together({p, follower(p)}));
  EXPECT_FALSE(fit_together({p, follower(p - (Integer(1) << 150))}));
  EXPECT_TRUE(fit_together({p, follower(p - (Integer(1) << 160))}));
}

TEST(Primes, MillerRabinKnowsCarmichaelNumbers) {
  SeededRandom random(12);
  for (const long composite : {561L, 1105L, 1729L, 2047L, 3215031751L, 341550071728321L}) {
    EXPECT_FALSE(is_probable_prime(composite, 20, random)) << composite;
  }
  for (const long prime : {2L, 3L, 5L, 7L, 65537L, 2147483647L}) {
    EXPECT_TRUE(is_probable_prime(prime, 20, random)) << prime;
  }
}

TEST(Bytes, AreExactlyAsManyAsAskedFor) {
  for (const Integer& x : IntegerVector{0, 1, 255, 256, 65535}) {
    const std::string bytes = to_bytes(x, 2);
    EXPECT_EQ(bytes.size(), 2U);
    EXPECT_EQ(from_bytes(bytes), x);
  }
  EXPECT_DEATH((void)to_bytes(65536, 2), "fits");
}

TEST(Secrets, AreOverwritten) {
  Integer secret = Integer(0x1234567) << 300;
  const mp_limb_t* memory = secret.get_mpz_t()->_mp_d;
  const auto size = static_cast<std::size_t>(secret.get_mpz_t()->_mp_size);
  wipe(secret);
  EXPECT_EQ(secret, 0);
  for (std::size_t k = 0; k < size; ++k) EXPECT_EQ(memory[k], 0U);
}

}  // namespace
}  // namespace sotto::paillier
