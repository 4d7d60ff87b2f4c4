#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/integer.h"
#include "base/random.h"
#include "base/result.h"

namespace sotto {

// Additively homomorphic encryption of integer vectors, as the shuffle needs it:
//
//     D(E(x) ⊕ E(y)) = x + y,      D(k ⊗ E(x)) = k·x.
//
// Batches are the natural unit: kernels work on many numbers at once.
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
  [[nodiscard]] virtual Ciphertexts add(std::span<const Integer> left,
                                        std::span<const Integer> right) const = 0;
  [[nodiscard]] virtual Ciphertexts multiply(std::span<const Integer> ciphertexts,
                                             const Integer& factor) const = 0;
  // Fresh randomness, same plaintexts: who made a ciphertext can no longer
  // recognise what was done to it.
  [[nodiscard]] virtual Ciphertexts rerandomise(std::span<const Integer> ciphertexts,
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
};

class Cipher {
 public:
  Cipher() = default;
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  virtual ~Cipher() = default;

  [[nodiscard]] virtual std::unique_ptr<DecryptionKey> generate(RandomSource& random) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<EncryptionKey>> read_key(
      std::string_view serialised) const = 0;
};

// An ideal cipher for simulations: the algebra and the error paths of a real
// one, and no secrecy. A ciphertext is plaintext ‖ key ‖ nonce in clear.
[[nodiscard]] const Cipher& ideal_cipher();

}  // namespace sotto
