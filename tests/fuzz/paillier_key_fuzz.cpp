// A public key that a neighbour sends, and a ciphertext under it: refused, or good for all that is
// done with it. Short keys, so that it is fast; the same code.

#include "fuzz/fuzz.h"
#include "paillier/encryption_key.h"
#include "support/paillier_keys.h"

namespace sotto {

// The first byte: damage to a good key, or any bytes.
SOTTO_FUZZER(paillier_key) {
  constexpr std::size_t kKeyBits = 256;
  fuzz::Choices choices(bytes);
  const auto randomness = choices.flag() ? Randomness::kHalf : Randomness::kFull;
  std::string key = paillier_test::shared_key(kKeyBits, randomness).encryption_key().serialised();
  if (choices.flag()) {
    for (int k = 0; k < 4 && !choices.empty(); ++k) fuzz::damage(choices, key);
  } else {
    key = std::string(choices.take(randomness == Randomness::kHalf ? 96 : 32));
    key.resize(choices.flag() ? key.size() : (randomness == Randomness::kHalf ? 96 : 32), '\x5b');
  }
  auto numbers = paillier::read_public_numbers(key, kKeyBits, randomness);
  if (!fuzz::fine_or_error(numbers)) return;
  fuzz::require(paillier::write_public_numbers(*numbers, kKeyBits) == key, "a key has one form");
  const paillier::PaillierEncryptionKey stranger(std::move(*numbers), kKeyBits);
  SeededRandom random(1);
  const IntegerVector plain{5, -7, 0};
  const Ciphertexts made = stranger.encrypt(plain, random);
  fuzz::require(stranger.validate(made).has_value(), "what was encrypted is a ciphertext");
  const IntegerVector summands{1, 2, 3};
  fuzz::require(stranger.validate(stranger.add_and_scale(made, summands, 3, 4, random)).has_value(),
                "an answer is ciphertexts");
}

}  // namespace sotto
