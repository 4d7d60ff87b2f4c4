#pragma once

#include "paillier/encryption_key.h"
#include "paillier/kernels/crt_power.h"
#include "paillier/primes.h"

// Paillier's key pair, and the randomness that its owner makes ahead of time.
namespace sotto::paillier {

// A key pair of Paillier's cipher. The primes have no way out of it: no accessor, no printing, and
// their memory is wiped. Decryption is by CRT, in constant time:
//
//     c^(p−1) = 1 + L·p mod p²,   m mod p = −L/q mod p,   the same for q, m from both;
//
// the 1 shows that c is no multiple of p.
class PaillierDecryptionKey final : public DecryptionKey {
 public:
  PaillierDecryptionKey(const PrimePair& primes, Randomness randomness, RandomSource& random);
  ~PaillierDecryptionKey() override;

  [[nodiscard]] const EncryptionKey& encryption_key() const override { return *public_; }
  [[nodiscard]] Result<IntegerVector> decrypt(std::span<const Integer> ciphertexts) const override;
  // (1 + mN)·ρ with ρ = y^p mod p² and y^q mod q², y uniform below N: distributed as r^N is,
  // because y ↦ y^q is a bijection modulo p, and at a fraction of its price.
  [[nodiscard]] Ciphertexts encrypt(std::span<const Integer> plain,
                                    RandomSource& random) const override;
  void prepare(std::size_t count, RandomSource& random) const override;

 private:
  // ρ, `count` times, those that are ready first. The caller wipes them.
  [[nodiscard]] IntegerVector randomisers(std::size_t count, RandomSource& random) const;
  [[nodiscard]] IntegerVector fresh_randomisers(std::size_t count, RandomSource& random) const;
  // ρ modulo N² from its powers modulo both squares.
  [[nodiscard]] Integer join(const LimbPair& p, const LimbPair& q) const;

  std::size_t prime_bits_;
  PrimePair primes_;
  PrimePair orders_;  // p − 1, q − 1
  CrtPower powers_;
  Limbs p_;
  Limbs q_;
  Limbs p_squared_;
  Limbs q_squared_;
  Limbs p_scale_;            // (−q)⁻¹ mod p
  Limbs q_scale_;            // (−p)⁻¹ mod q
  Limbs p_inverse_;          // of p mod q
  Limbs p_squared_inverse_;  // of p² mod q²
  std::unique_ptr<PaillierEncryptionKey> public_;
  // Randomisers made in idle time, N-th powers modulo N². Whoever knows the randomiser of a
  // ciphertext can read it, so each is handed out once, and what is left is wiped in the end.
  mutable std::mutex ready_mutex_;
  mutable IntegerVector ready_;
};

}  // namespace sotto::paillier
