#pragma once

#include <mutex>

#include "paillier/cipher.h"
#include "paillier/kernels/kernel.h"

// Paillier's public key: what everybody may compute, and the bytes in which a key travels.
namespace sotto::paillier {

// N, and h = (−x²)^N mod N² where randomness is Randomness::kHalf (else 0).
struct PublicNumbers {
  Integer n;
  Integer h;
};

// A public key of Paillier's cipher, g = 1 + N:
//
//     E(m) = (1 + mN)·ρ mod N²,   ρ = h^s, s of half the key's bits, or ρ = r^N.
//
// Constant time in plaintexts, randomness and factors, up to their lengths.
class PaillierEncryptionKey final : public EncryptionKey {
 public:
  // The numbers are this party's own, or have passed read_public_numbers.
  PaillierEncryptionKey(PublicNumbers numbers, std::size_t key_bits);

  [[nodiscard]] std::string serialised() const override;
  [[nodiscard]] Result<void> validate(std::span<const Integer> ciphertexts) const override;
  [[nodiscard]] Ciphertexts encrypt(std::span<const Integer> plain,
                                    RandomSource& random) const override;
  [[nodiscard]] Ciphertexts add_and_scale(std::span<const Integer> ciphertexts,
                                          std::span<const Integer> summands, const Integer& factor,
                                          std::size_t factor_bits,
                                          RandomSource& random) const override;

  // The cheap half of validate(): 0 < c < N².
  [[nodiscard]] Result<void> check_range(std::span<const Integer> ciphertexts) const;

  [[nodiscard]] const Integer& n() const { return numbers_.n; }
  [[nodiscard]] const Limbs& n_limbs() const { return n_; }
  [[nodiscard]] const Kernel& kernel() const { return *kernel_; }
  // 1 + mN, the ciphertext of m without randomness. |m| < N/2.
  [[nodiscard]] Residues unmasked(std::span<const Integer> plain) const;

 private:
  [[nodiscard]] Residues randomisers(std::size_t count, RandomSource& random) const;
  [[nodiscard]] const FixedBase& powers_of_h() const;

  PublicNumbers numbers_;
  std::size_t key_bits_;
  Limbs n_;
  Integer n_squared_;
  std::unique_ptr<Kernel> kernel_;
  mutable std::once_flag table_made_;
  mutable std::unique_ptr<FixedBase> table_;
};

// Public numbers as they travel: N on key_bits/8 bytes, then h on key_bits/4 (kHalf).
[[nodiscard]] std::string write_public_numbers(const PublicNumbers& numbers, std::size_t key_bits);

// What a peer sent, or why it is refused: its length; N of exactly key_bits, ≡ 1 mod 4, without a
// small factor, no prime, no perfect power; h in range, prime to N, of Jacobi symbol 1.
// That N has two prime factors and h is an N-th power cannot be seen: docs/proofs/paillier.md.
[[nodiscard]] Result<PublicNumbers> read_public_numbers(std::string_view bytes,
                                                        std::size_t key_bits,
                                                        Randomness randomness);

// A number in [0, 256^width) as exactly `width` bytes, the highest first.
[[nodiscard]] std::string to_bytes(const Integer& number, std::size_t width);
[[nodiscard]] Integer from_bytes(std::string_view bytes);

}  // namespace sotto::paillier
