// What anybody can do with a public key, and how a key travels: written, read, and refused.
#include "paillier/encryption_key.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "paillier/primes.h"

namespace sotto::paillier {
namespace {

Error bad_ciphertext(const std::string& what) {
  return bad_input("E-cipher-text", what, "send numbers that were encrypted with the public key");
}

Error bad_key(const std::string& what) {
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

PaillierEncryptionKey::PaillierEncryptionKey(PublicNumbers numbers, std::size_t key_bits)
    : numbers_(std::move(numbers)),
      key_bits_(key_bits),
      n_(limbs_of(numbers_.n, limbs_for_bits(key_bits))),
      n_squared_(numbers_.n * numbers_.n),
      kernel_(make_kernel(numbers_.n)) {}

std::string PaillierEncryptionKey::serialised() const {
  return write_public_numbers(numbers_, key_bits_);
}

Result<void> PaillierEncryptionKey::check_range(std::span<const Integer> ciphertexts) const {
  for (const Integer& ciphertext : ciphertexts) {
    if (sgn(ciphertext) <= 0 || ciphertext >= n_squared_) {
      return bad_ciphertext("a ciphertext is not between 0 and N²");
    }
  }
  return {};
}

// If one of them had a factor in common with N, so would their product.
Result<void> PaillierEncryptionKey::validate(std::span<const Integer> ciphertexts) const {
  SOTTO_TRY(check_range(ciphertexts));
  Integer product = 1;
  for (const Integer& ciphertext : ciphertexts) product = product * ciphertext % numbers_.n;
  if (gcd(product, numbers_.n) != 1) return bad_ciphertext("a ciphertext has a factor of N");
  return {};
}

Residues PaillierEncryptionKey::unmasked(std::span<const Integer> plain) const {
  IntegerVector numbers;
  numbers.reserve(plain.size());
  const WipedAtEnd wiped(numbers);
  for (const Integer& m : plain) {
    check(bit_length(m) < key_bits_ - 1, "a plaintext is below N/2");
    Limbs number = product(residue_of(m, n_), n_);
    const auto width = static_cast<mp_size_t>(number.size());
    Limbs scratch(static_cast<std::size_t>(mpn_sec_add_1_itch(width)));
    mpn_sec_add_1(number.data(), number.data(), width, 1, scratch.data());
    numbers.push_back(integer_of(number));
  }
  return kernel_->load(numbers);
}

const FixedBase& PaillierEncryptionKey::powers_of_h() const {
  std::call_once(table_made_, [this] { table_ = kernel_->fixed_base(numbers_.h, key_bits_ / 2); });
  return *table_;
}

Residues PaillierEncryptionKey::randomisers(std::size_t count, RandomSource& random) const {
  IntegerVector secrets(count);
  const WipedAtEnd wiped(secrets);
  if (sgn(numbers_.h) != 0) {
    for (Integer& s : secrets) s = random_bits(key_bits_ / 2, random);
    return powers_of_h().power(secrets);
  }
  // r = 0 mod p or q has probability 2^−1000: finding one would be factoring N.
  for (Integer& r : secrets) r = 1 + random.below(Integer(numbers_.n - 1));
  return kernel_->power(kernel_->load(secrets), numbers_.n, key_bits_);
}

Ciphertexts PaillierEncryptionKey::encrypt(std::span<const Integer> plain,
                                           RandomSource& random) const {
  return kernel_->store(kernel_->multiply(unmasked(plain), randomisers(plain.size(), random)));
}

// The summand goes in without randomness of its own: the last step's covers it.
Ciphertexts PaillierEncryptionKey::add_and_scale(std::span<const Integer> ciphertexts,
                                                 std::span<const Integer> summands,
                                                 const Integer& factor, std::size_t factor_bits,
                                                 RandomSource& random) const {
  check(ciphertexts.size() == summands.size(), "one summand per ciphertext");
  check(sgn(factor) >= 0 && bit_length(factor) <= factor_bits,
        "the factor has the bits it was announced with");
  const Residues sum = kernel_->multiply(kernel_->load(ciphertexts), unmasked(summands));
  const Residues scaled = kernel_->power(sum, factor, factor_bits);
  return kernel_->store(kernel_->multiply(scaled, randomisers(ciphertexts.size(), random)));
}

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
  SOTTO_TRY(check_modulus(numbers.n, key_bits));
  if (randomness == Randomness::kHalf) {
    SOTTO_TRY(check_base(numbers.h, numbers.n));
  }
  return numbers;
}

std::string to_bytes(const Integer& number, std::size_t width) {
  const std::size_t bits = sgn(number) == 0 ? 0 : mpz_sizeinbase(number.get_mpz_t(), 2);
  check(sgn(number) >= 0 && bits <= 8 * width, "a number fits the bytes it is written to");
  std::string bytes(width, '\0');
  const std::size_t used = (bits + 7) / 8;
  mpz_export(bytes.data() + (width - used), nullptr, 1, 1, 1, 0, number.get_mpz_t());
  return bytes;
}

Integer from_bytes(std::string_view bytes) {
  Integer number;
  mpz_import(number.get_mpz_t(), bytes.size(), 1, 1, 1, 0, bytes.data());
  return number;
}

}  // namespace sotto::paillier
