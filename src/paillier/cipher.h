#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace sotto {

// Additively homomorphic encryption of integer vectors, as the shuffle needs it:
//
//     D(E(x) ⊕ E(y)) = x + y,      D(k ⊗ E(x)) = k·x.
//
// Batches are the natural unit: kernels work on many numbers at once. Ciphertexts
// travel as integers; between two operations of one call they stay in a kernel's form.
using Ciphertexts = std::vector<Integer>;

// Somebody's public key.
class EncryptionKey {
 public:
  EncryptionKey() = default;
  EncryptionKey(const EncryptionKey&) = delete;
  EncryptionKey& operator=(const EncryptionKey&) = delete;
  virtual ~EncryptionKey() = default;

  [[nodiscard]] virtual std::string serialised() const = 0;
  // What a peer sent must pass this before anything else touches it.
  [[nodiscard]] virtual Result<void> validate(std::span<const Integer> ciphertexts) const = 0;

  [[nodiscard]] virtual Ciphertexts encrypt(std::span<const Integer> plain,
                                            RandomSource& random) const = 0;

  // (E(x) ⊕ E(summand)) ⊗ factor: a neighbour's whole answer in the shuffle. Re-randomised, so that
  // who made a ciphertext can no longer recognise what was done to it. Constant time for
  // 0 ≤ factor < 2^factor_bits.
  [[nodiscard]] virtual Ciphertexts add_and_scale(std::span<const Integer> ciphertexts,
                                                  std::span<const Integer> summands,
                                                  const Integer& factor, std::size_t factor_bits,
                                                  RandomSource& random) const = 0;
};

// One's own key pair.
class DecryptionKey {
 public:
  DecryptionKey() = default;
  DecryptionKey(const DecryptionKey&) = delete;
  DecryptionKey& operator=(const DecryptionKey&) = delete;
  virtual ~DecryptionKey() = default;

  [[nodiscard]] virtual const EncryptionKey& encryption_key() const = 0;
  [[nodiscard]] virtual Result<IntegerVector> decrypt(
      std::span<const Integer> ciphertexts) const = 0;
  // Encrypts to oneself. Whoever knows the key can do it faster.
  [[nodiscard]] virtual Ciphertexts encrypt(std::span<const Integer> plain,
                                            RandomSource& random) const {
    return encryption_key().encrypt(plain, random);
  }
  // Idle time, used: makes what the next `count` encryptions to oneself need to be random.
  virtual void prepare(std::size_t /*count*/, RandomSource& /*random*/) const {}
};

using KeyPairs = std::vector<std::unique_ptr<DecryptionKey>>;

class Cipher {
 public:
  Cipher() = default;
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  virtual ~Cipher() = default;

  [[nodiscard]] virtual std::unique_ptr<DecryptionKey> generate(RandomSource& random) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<EncryptionKey>> read_key(
      std::string_view serialised) const = 0;

  // What decryption gives back is right for |plaintext| < 2^plaintext_bits. None: for every
  // integer.
  [[nodiscard]] virtual std::optional<std::size_t> plaintext_bits() const { return std::nullopt; }
};

// The key pairs that `from` gives under these numbers, each ready for `encryptions` to oneself; on
// all cores. A pair draws from a stream of its own, derived_key(from, number): when it is made, and
// what is made beside it, changes nothing.
[[nodiscard]] KeyPairs generate_key_pairs(const Cipher& cipher, const KeyedRandom::Key& from,
                                          std::span<const std::uint32_t> numbers,
                                          std::size_t encryptions = 0);

// Where a ciphertext's randomness comes from.
enum class Randomness {
  kHalf,  // h^s, s of half the key's length: Damgård, Jurik and Nielsen. Fast.
  kFull,  // r^N, r uniform: Paillier's own. Rests on one assumption less.
};

inline constexpr std::size_t kMinKeyBits = 2048;
inline constexpr std::size_t kMaxKeyBits = 16384;
inline constexpr std::size_t kKeyBitsStep = 64;  // both primes fill 32-bit words

// A plaintext is between −N/2 and N/2, and N above 2^(key_bits − 1).
[[nodiscard]] constexpr std::size_t paillier_plaintext_bits(std::size_t key_bits) {
  return key_bits - 2;
}

// Paillier with keys of exactly `key_bits`. docs/proofs/paillier.md
[[nodiscard]] Result<std::unique_ptr<Cipher>> paillier_cipher(std::size_t key_bits,
                                                              Randomness randomness);

// An ideal cipher for simulations: the algebra and the error paths of a real
// one, and no secrecy. A ciphertext is plaintext ‖ key ‖ nonce in clear.
[[nodiscard]] const Cipher& ideal_cipher();

}  // namespace sotto
