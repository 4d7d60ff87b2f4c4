// Ciphertexts of a neighbour's offer and answer: refused, or a plaintext that is unpacked to values
// inside their bound or refused.

#include "fuzz/fuzz.h"
#include "paillier/encryption_key.h"
#include "paillier/packing.h"
#include "support/paillier_keys.h"

namespace sotto {

// Each: a byte for how it is made, then a plaintext to encrypt or the ciphertext itself.
SOTTO_FUZZER(ciphertext) {
  constexpr std::size_t kKeyBits = 256;
  constexpr std::size_t kBytes = kKeyBits / 4;
  fuzz::Choices choices(bytes);
  const auto randomness = choices.flag() ? Randomness::kHalf : Randomness::kFull;
  const DecryptionKey& key = paillier_test::shared_key(kKeyBits, randomness);
  const Integer n =
      paillier_test::shared_primes(kKeyBits).p * paillier_test::shared_primes(kKeyBits).q;
  SeededRandom random(1);
  Ciphertexts sent;
  IntegerVector summands;
  while (!choices.empty() && sent.size() < 5) {
    switch (choices.below(5)) {
      case 0:
        sent.push_back(paillier::from_bytes(choices.take(kBytes)));
        break;
      case 1: {
        const Integer most = Integer(1) << paillier_plaintext_bits(kKeyBits);
        const IntegerVector plain{paillier::from_bytes(choices.take(kKeyBits / 8)) % most};
        sent.push_back(key.encryption_key().encrypt(plain, random).front());
        break;
      }
      case 2:
        sent.push_back(n * paillier::from_bytes(choices.take(kBytes / 2)));
        break;
      case 3:
        sent.push_back(n * n - paillier::from_bytes(choices.take(2)));
        break;
      default:
        sent.push_back(-paillier::from_bytes(choices.take(8)));
    }
    summands.emplace_back(static_cast<long>(sent.size()));
  }
  const auto valid = key.encryption_key().validate(sent);
  if (fuzz::fine_or_error(valid)) {
    const Ciphertexts answer = key.encryption_key().add_and_scale(sent, summands, 9, 8, random);
    fuzz::require(key.encryption_key().validate(answer).has_value(), "an answer is ciphertexts");
  }
  const auto plain = key.decrypt(sent);
  if (!fuzz::fine_or_error(plain)) return;
  for (const Integer& value : *plain) {
    fuzz::require(2 * abs(value) < n, "a plaintext is below N/2");
  }
  const Integer bound = 1000;
  const auto packing = Packing::make(paillier_plaintext_bits(kKeyBits), bound, 255);
  fuzz::require(packing.has_value(), "slots fit");
  const std::size_t values = plain->size() * packing->slots();
  const auto unpacked = packing->unpack(*plain, values);
  if (!fuzz::fine_or_error(unpacked)) return;
  for (const Integer& value : *unpacked) {
    fuzz::require(abs(value) <= 2 * 255 * bound, "what is unpacked is inside its bound");
  }
}

}  // namespace sotto
