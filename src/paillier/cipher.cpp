#include "paillier/cipher.h"

namespace sotto {

Ciphertexts EncryptionKey::add_and_scale(std::span<const Integer> ciphertexts,
                                         std::span<const Integer> summands, const Integer& factor,
                                         std::size_t, RandomSource& random) const {
  return rerandomise(multiply(add(encrypt(summands, random), ciphertexts), factor), random);
}

void DecryptionKey::prepare(std::size_t, RandomSource&) const {}

Ciphertexts DecryptionKey::encrypt(std::span<const Integer> plain, RandomSource& random) const {
  return encryption_key().encrypt(plain, random);
}

}  // namespace sotto
