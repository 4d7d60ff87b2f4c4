#include "study/cipher_choice.h"

namespace sotto {

Result<std::unique_ptr<Cipher>> cipher_for(const Study& study, CipherChoice choice) {
  if (choice == CipherChoice::kIdeal) return nullptr;
  const auto randomness = study.dishuf.full_randomness ? Randomness::kFull : Randomness::kHalf;
  auto cipher = paillier_cipher(study.dishuf.key_bits, randomness);
  if (!cipher) return tl::unexpected(Error(cipher.error()).at("[dishuf] key_bits"));
  return cipher;
}

}  // namespace sotto
