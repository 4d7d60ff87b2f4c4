// How a key's primes are found: candidates sieved, then Miller and Rabin's test.
#include "paillier/primes.h"

#include "base/check.h"
#include "paillier/kernels/limbs.h"

namespace sotto::paillier {
namespace {

// Sieving deeper costs more divisions than the tests it saves.
constexpr std::uint32_t kSieveBound = 1U << 17;
// Candidates per random start: a prime is among them more often than not at 2048 bits.
constexpr std::size_t kCandidates = 2048;
constexpr std::uint32_t kSmallBound = 1U << 16;

// Of random odd numbers of k bits that pass t rounds, at most k^{3/2}·2^t·t^{−1/2}·4^{2−√(tk)} are
// composite [Damgård, Landrock, Pomerance 1993]: 2^−155 for k = 1024 and t = 8, which leaves room
// for bits that are fixed and for starts that are searched upwards.
constexpr int kRounds = 8;

std::vector<std::uint32_t> odd_primes_below(std::uint32_t bound) {
  std::vector<bool> composite(bound);
  std::vector<std::uint32_t> primes;
  for (std::uint32_t k = 3; k < bound; k += 2) {
    if (composite[k]) continue;
    primes.push_back(k);
    const std::uint64_t wide = k;
    for (std::uint64_t m = wide * wide; m < bound; m += 2 * wide) composite[m] = true;
  }
  return primes;
}

// Which of start, start + 4, start + 8, … have no factor below kSieveBound.
std::vector<std::size_t> sieved(const Integer& start) {
  static const std::vector<std::uint32_t> kPrimes = odd_primes_below(kSieveBound);
  std::vector<bool> composite(kCandidates);
  for (const std::uint32_t prime : kPrimes) {
    const std::uint64_t rest = mpz_fdiv_ui(start.get_mpz_t(), prime);
    // start + 4k ≡ 0  ⇔  k ≡ −start/4; 1/4 mod prime is ((prime ± 1)/4 or its complement).
    const std::uint64_t quarter = prime % 4 == 3 ? (prime + 1) / 4 : prime - (prime - 1) / 4;
    for (std::uint64_t k = (prime - rest) * quarter % prime; k < kCandidates; k += prime) {
      composite[k] = true;
    }
  }
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < kCandidates; ++k) {
    if (!composite[k]) left.push_back(k);
  }
  return left;
}

// One round of Miller–Rabin for n − 1 = odd·2^twos.
bool passes(const Integer& n, const Integer& base) {
  const Integer last = n - 1;
  const mp_bitcnt_t twos = mpz_scan1(last.get_mpz_t(), 0);
  const Integer odd = last >> twos;
  Integer x;
  mpz_powm(x.get_mpz_t(), base.get_mpz_t(), odd.get_mpz_t(), n.get_mpz_t());
  if (x == 1 || x == last) return true;
  for (mp_bitcnt_t k = 1; k < twos; ++k) {
    x = x * x % n;
    if (x == last) return true;
  }
  return false;
}

}  // namespace

Integer random_bits(std::size_t bits, RandomSource& random) {
  Limbs limbs(limbs_for_bits(bits));
  for (mp_limb_t& limb : limbs) limb = random.bits64();
  if (bits % GMP_NUMB_BITS != 0) limbs.back() >>= GMP_NUMB_BITS - bits % GMP_NUMB_BITS;
  return integer_of(limbs);
}

bool is_probable_prime(const Integer& candidate, int rounds, RandomSource& random) {
  if (candidate <= 3) return candidate >= 2;
  if (mpz_even_p(candidate.get_mpz_t()) != 0) return false;
  if (!passes(candidate, 2)) return false;
  for (int round = 0; round < rounds; ++round) {
    const Integer base = 2 + random.below(Integer(candidate - 3));
    if (!passes(candidate, base)) return false;
  }
  return true;
}

Integer random_prime(std::size_t bits, RandomSource& random,
                     const std::function<bool(const Integer&)>& fits) {
  check(bits >= 64, "primes of a key are long");
  for (;;) {
    Integer start = random_bits(bits, random);
    for (const std::size_t one : {std::size_t{0}, std::size_t{1}, bits - 2, bits - 1}) {
      mpz_setbit(start.get_mpz_t(), one);
    }
    for (const std::size_t k : sieved(start)) {
      Integer candidate = start + static_cast<unsigned long>(4 * k);
      if (mpz_sizeinbase(candidate.get_mpz_t(), 2) != bits) break;
      if (fits && !fits(candidate)) continue;
      if (is_probable_prime(candidate, kRounds, random)) {
        wipe(start);
        return candidate;
      }
    }
  }
}

const Integer& product_of_small_primes() {
  static const Integer kProduct = [] {
    Integer product;
    mpz_primorial_ui(product.get_mpz_t(), kSmallBound);
    return Integer(product / 2);
  }();
  return kProduct;
}

bool fit_together(const PrimePair& primes) {
  const auto& [p, q] = primes;
  const std::size_t bits = mpz_sizeinbase(p.get_mpz_t(), 2);
  if (bits != mpz_sizeinbase(q.get_mpz_t(), 2)) return false;
  if (mpz_fdiv_ui(p.get_mpz_t(), 4) != 3 || mpz_fdiv_ui(q.get_mpz_t(), 4) != 3) return false;
  if (const Integer apart = abs(p - q); mpz_sizeinbase(apart.get_mpz_t(), 2) + 100 <= bits) {
    return false;
  }
  const Integer p1 = p - 1;
  const Integer q1 = q - 1;
  return gcd(p1, q1) == 2 && gcd(Integer(p * q), Integer(p1 * q1)) == 1;
}

PrimePair random_prime_pair(std::size_t key_bits, RandomSource& random) {
  check(key_bits % 2 == 0, "both primes have half of the key's bits");
  PrimePair primes{random_prime(key_bits / 2, random), 0};
  // One prime in three would not fit: (p−1)/2 and (q−1)/2 have a factor in common.
  primes.q = random_prime(key_bits / 2, random, [&primes](const Integer& candidate) {
    return fit_together({primes.p, candidate});
  });
  return primes;
}

}  // namespace sotto::paillier
