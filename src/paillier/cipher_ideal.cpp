// The ideal cipher of simulations: it keeps the rules of a real one, and no secrets.
#include <fmt/format.h>

#include <charconv>

#include "base/check.h"
#include "paillier/cipher.h"

namespace sotto {
namespace {

// c = m·2^128 + key·2^64 + nonce. The message space is all of ℤ.
constexpr unsigned kKeyShift = 64;
constexpr unsigned kMessageShift = 128;

Integer word(std::uint64_t value) {
  return {static_cast<unsigned long>(value)};
}

Integer message_of(const Integer& ciphertext) {
  Integer message;
  mpz_fdiv_q_2exp(message.get_mpz_t(), ciphertext.get_mpz_t(), kMessageShift);
  return message;
}

class IdealEncryptionKey final : public EncryptionKey {
 public:
  explicit IdealEncryptionKey(std::uint64_t id) : id_(id) {}

  [[nodiscard]] std::string serialised() const override {
    return fmt::format("ideal:{:016x}", id_);
  }

  [[nodiscard]] Result<void> validate(std::span<const Integer> ciphertexts) const override {
    for (const Integer& ciphertext : ciphertexts) {
      Integer key;
      mpz_fdiv_q_2exp(key.get_mpz_t(), ciphertext.get_mpz_t(), kKeyShift);
      mpz_fdiv_r_2exp(key.get_mpz_t(), key.get_mpz_t(), kMessageShift - kKeyShift);
      if (key != word(id_)) {
        return bad_input("E-cipher-text", "a ciphertext was not made with this key",
                         "encrypt to the receiver's own public key");
      }
    }
    return {};
  }

  [[nodiscard]] Ciphertexts encrypt(std::span<const Integer> plain,
                                    RandomSource& random) const override {
    Ciphertexts result;
    result.reserve(plain.size());
    for (const Integer& message : plain) result.push_back(pack(message, random.bits64()));
    return result;
  }

  [[nodiscard]] Ciphertexts add_and_scale(std::span<const Integer> ciphertexts,
                                          std::span<const Integer> summands, const Integer& factor,
                                          std::size_t /*factor_bits*/,
                                          RandomSource& random) const override {
    check(ciphertexts.size() == summands.size(), "one summand per ciphertext");
    const Ciphertexts own = encrypt(summands, random);
    Ciphertexts result;
    result.reserve(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      const Integer sum = message_of(own[k]) + message_of(ciphertexts[k]);
      result.push_back(pack(sum * factor, random.bits64()));
    }
    return result;
  }

 private:
  [[nodiscard]] Integer pack(const Integer& message, std::uint64_t nonce) const {
    return (message << kMessageShift) + (word(id_) << kKeyShift) + word(nonce);
  }

  std::uint64_t id_;
};

class IdealDecryptionKey final : public DecryptionKey {
 public:
  explicit IdealDecryptionKey(std::uint64_t id) : public_(id) {}

  [[nodiscard]] const EncryptionKey& encryption_key() const override { return public_; }

  [[nodiscard]] Result<IntegerVector> decrypt(std::span<const Integer> ciphertexts) const override {
    SOTTO_TRY(public_.validate(ciphertexts));
    IntegerVector result;
    result.reserve(ciphertexts.size());
    for (const Integer& ciphertext : ciphertexts) result.push_back(message_of(ciphertext));
    return result;
  }

 private:
  IdealEncryptionKey public_;
};

class IdealCipher final : public Cipher {
 public:
  [[nodiscard]] std::unique_ptr<DecryptionKey> generate(RandomSource& random) const override {
    return std::make_unique<IdealDecryptionKey>(random.bits64());
  }

  [[nodiscard]] Result<std::unique_ptr<EncryptionKey>> read_key(
      std::string_view serialised) const override {
    constexpr std::string_view kPrefix = "ideal:";
    std::uint64_t id = 0;
    if (serialised.size() == kPrefix.size() + 16 && serialised.starts_with(kPrefix)) {
      const std::string_view digits = serialised.substr(kPrefix.size());
      const auto [end, error] = std::from_chars(digits.begin(), digits.end(), id, 16);
      if (error == std::errc{} && end == digits.end()) {
        return std::make_unique<IdealEncryptionKey>(id);
      }
    }
    return bad_input("E-cipher-key", "a public key of the ideal cipher is malformed",
                     "send the key as 'ideal:' and 16 hexadecimal digits");
  }
};

}  // namespace

const Cipher& ideal_cipher() {
  static const IdealCipher cipher;
  return cipher;
}

}  // namespace sotto
