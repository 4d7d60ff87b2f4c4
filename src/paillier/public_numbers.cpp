#include <fmt/format.h>

#include "paillier/bytes.h"
#include "paillier/encryption_key.h"
#include "paillier/primes.h"

namespace sotto {
namespace {

tl::unexpected<Error> bad_key(const std::string& what) {
  return bad_input("E-cipher-key", what, "send a public key as 'sotto' makes it");
}

// A prime passes for certain: 2^(N−1) ≡ 1. So do a few composites, of which a random key is none.
bool looks_prime(const Integer& n) {
  Integer power;
  const Integer last = n - 1;
  mpz_powm(power.get_mpz_t(), Integer(2).get_mpz_t(), last.get_mpz_t(), n.get_mpz_t());
  return power == 1;
}

Result<void> check_modulus(const Integer& n, std::size_t key_bits) {
  if (mpz_even_p(n.get_mpz_t()) != 0) return bad_key("N is even");
  if (mpz_sizeinbase(n.get_mpz_t(), 2) != key_bits) {
    return bad_key(
        fmt::format("N has {} bits and not {}", mpz_sizeinbase(n.get_mpz_t(), 2), key_bits));
  }
  // A product of two primes ≡ 3 mod 4.
  if (mpz_fdiv_ui(n.get_mpz_t(), 4) != 1) return bad_key("N is not 1 modulo 4");
  if (gcd(Integer(product_of_small_primes() % n), n) != 1) return bad_key("N has a small factor");
  if (mpz_perfect_power_p(n.get_mpz_t()) != 0) return bad_key("N is a power");
  if (looks_prime(n)) return bad_key("N is a prime");
  return {};
}

// h = (−x²)^N has Jacobi symbol 1, because −1 has it for N ≡ 1 mod 4.
Result<void> check_base(const Integer& h, const Integer& n) {
  if (h <= 1 || h >= n * n) return bad_key("h is not between 1 and N²");
  const Integer low = h % n;
  if (gcd(low, n) != 1) return bad_key("h has a factor of N");
  if (low == 1 || low == n - 1) return bad_key("h is ±1 modulo N, and hides nothing");
  if (mpz_jacobi(low.get_mpz_t(), n.get_mpz_t()) != 1) return bad_key("h is no −x²");
  return {};
}

}  // namespace

std::string write_public_numbers(const PublicNumbers& numbers, std::size_t key_bits) {
  std::string bytes = to_bytes(numbers.n, key_bits / 8);
  if (sgn(numbers.h) != 0) bytes += to_bytes(numbers.h, key_bits / 4);
  return bytes;
}

Result<PublicNumbers> read_public_numbers(std::string_view bytes, std::size_t key_bits,
                                          Randomness randomness) {
  const std::size_t n_bytes = key_bits / 8;
  const std::size_t h_bytes = randomness == Randomness::kHalf ? key_bits / 4 : 0;
  if (bytes.size() != n_bytes + h_bytes) {
    return bad_key(
        fmt::format("a public key has {} bytes and not {}", bytes.size(), n_bytes + h_bytes));
  }
  PublicNumbers numbers{from_bytes(bytes.substr(0, n_bytes)), from_bytes(bytes.substr(n_bytes))};
  if (auto ok = check_modulus(numbers.n, key_bits); !ok) return tl::unexpected(ok.error());
  if (randomness == Randomness::kHalf) {
    if (auto ok = check_base(numbers.h, numbers.n); !ok) return tl::unexpected(ok.error());
  }
  return numbers;
}

}  // namespace sotto
