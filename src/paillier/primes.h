#pragma once

#include <cstddef>
#include <functional>

#include "base/integer.h"
#include "base/random.h"

// A key's primes: drawn, tested, and fit for each other.
namespace sotto::paillier {

// Uniform in {0, …, 2^bits − 1}.
[[nodiscard]] Integer random_bits(std::size_t bits, RandomSource& random);

// Miller–Rabin with random bases. A composite passes with probability below 4^−rounds,
// whoever chose it; one that was drawn at random, far more rarely.
[[nodiscard]] bool is_probable_prime(const Integer& candidate, int rounds, RandomSource& random);

// A random prime ≡ 3 mod 4 of exactly `bits` bits whose two highest bits are set, so that the
// product of two has exactly 2·bits. bits ≥ 64. Numbers that do not fit are passed over before they
// are tested, which would take longer; without `fits` all do.
[[nodiscard]] Integer random_prime(std::size_t bits, RandomSource& random,
                                   const std::function<bool(const Integer&)>& fits = {});

// The product of all odd primes below 2^16: one gcd with it finds every small factor.
[[nodiscard]] const Integer& product_of_small_primes();

// p and q of a key, with what decryption and Damgård, Jurik and Nielsen need:
//
//     p ≠ q of one length, p ≡ q ≡ 3 mod 4, gcd(p−1, q−1) = 2, gcd(pq, (p−1)(q−1)) = 1,
//     |p − q| ≥ 2^(bits of p − 100): out of Fermat's reach.
struct PrimePair {
  Integer p;
  Integer q;
};

[[nodiscard]] bool fit_together(const PrimePair& primes);
[[nodiscard]] PrimePair random_prime_pair(std::size_t key_bits, RandomSource& random);

}  // namespace sotto::paillier
