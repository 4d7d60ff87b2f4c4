#include "paillier/encryption_key.h"

#include <algorithm>

#include "base/check.h"
#include "paillier/primes.h"

namespace sotto {
namespace {

tl::unexpected<Error> bad_ciphertext(const std::string& what) {
  return bad_input("E-cipher-text", what, "send numbers that were encrypted with the public key");
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
  if (auto ok = check_range(ciphertexts); !ok) return ok;
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
  Residues bases = kernel_->load(secrets);
  const WipedAtEnd wiped_bases(bases);
  return kernel_->power(bases, numbers_.n, key_bits_);
}

Ciphertexts PaillierEncryptionKey::encrypt(std::span<const Integer> plain,
                                           RandomSource& random) const {
  Residues open = unmasked(plain);
  const WipedAtEnd wiped_open(open);
  Residues masks = randomisers(plain.size(), random);
  const WipedAtEnd wiped_masks(masks);
  return kernel_->store(kernel_->multiply(open, masks));
}

Ciphertexts PaillierEncryptionKey::add(std::span<const Integer> left,
                                       std::span<const Integer> right) const {
  check(left.size() == right.size(), "ciphertext vectors that are added have one length");
  return kernel_->store(kernel_->multiply(kernel_->load(left), kernel_->load(right)));
}

Ciphertexts PaillierEncryptionKey::multiply(std::span<const Integer> ciphertexts,
                                            const Integer& factor) const {
  // −k is N − k: an exponent as long as N, so that no ciphertext is inverted in variable time.
  Integer exponent = integer_of(residue_of(factor, n_));
  const WipedAtEnd wiped(exponent);
  const std::size_t bits =
      sgn(factor) < 0 ? key_bits_ : std::max<std::size_t>(1, bit_length(factor));
  return kernel_->store(kernel_->power(kernel_->load(ciphertexts), exponent, bits));
}

Ciphertexts PaillierEncryptionKey::rerandomise(std::span<const Integer> ciphertexts,
                                               RandomSource& random) const {
  Residues masks = randomisers(ciphertexts.size(), random);
  const WipedAtEnd wiped(masks);
  return kernel_->store(kernel_->multiply(kernel_->load(ciphertexts), masks));
}

// The summand goes in without randomness of its own: the last step's covers it.
Ciphertexts PaillierEncryptionKey::add_and_scale(std::span<const Integer> ciphertexts,
                                                 std::span<const Integer> summands,
                                                 const Integer& factor, std::size_t factor_bits,
                                                 RandomSource& random) const {
  check(ciphertexts.size() == summands.size(), "one summand per ciphertext");
  check(sgn(factor) >= 0 && bit_length(factor) <= factor_bits,
        "the factor has the bits it was announced with");
  Residues open = unmasked(summands);
  const WipedAtEnd wiped_open(open);
  const Residues sum = kernel_->multiply(kernel_->load(ciphertexts), open);
  Residues scaled = kernel_->power(sum, factor, factor_bits);
  const WipedAtEnd wiped_scaled(scaled);
  Residues masks = randomisers(ciphertexts.size(), random);
  const WipedAtEnd wiped_masks(masks);
  return kernel_->store(kernel_->multiply(scaled, masks));
}

}  // namespace sotto
