// Paillier's cipher as the interface shows it: keys of one length, drawn or read.
#include <fmt/format.h>

#include "paillier/decryption_key.h"

namespace sotto {
namespace paillier {
namespace {

class PaillierCipher final : public Cipher {
 public:
  PaillierCipher(std::size_t key_bits, Randomness randomness)
      : key_bits_(key_bits), randomness_(randomness) {}

  [[nodiscard]] std::unique_ptr<DecryptionKey> generate(RandomSource& random) const override {
    PrimePair primes = random_prime_pair(key_bits_, random);
    auto key = std::make_unique<PaillierDecryptionKey>(primes, randomness_, random);
    wipe(primes.p);
    wipe(primes.q);
    return key;
  }

  [[nodiscard]] Result<std::unique_ptr<EncryptionKey>> read_key(
      std::string_view serialised) const override {
    SOTTO_ASSIGN(auto numbers, read_public_numbers(serialised, key_bits_, randomness_));
    return std::make_unique<PaillierEncryptionKey>(std::move(numbers), key_bits_);
  }

  [[nodiscard]] std::optional<std::size_t> plaintext_bits() const override {
    return paillier_plaintext_bits(key_bits_);
  }

 private:
  std::size_t key_bits_;
  Randomness randomness_;
};

}  // namespace
}  // namespace paillier

Result<std::unique_ptr<Cipher>> paillier_cipher(std::size_t key_bits, Randomness randomness) {
  if (key_bits < kMinKeyBits || key_bits > kMaxKeyBits || key_bits % kKeyBitsStep != 0) {
    return bad_input("E-key-bits", fmt::format("a key of {} bits is out of range", key_bits),
                     fmt::format("choose a multiple of {} from {} to {}", kKeyBitsStep, kMinKeyBits,
                                 kMaxKeyBits));
  }
  SOTTO_TRY(paillier::selected_kernel());
  paillier::wipe_what_gmp_frees();
  return std::make_unique<paillier::PaillierCipher>(key_bits, randomness);
}

}  // namespace sotto
