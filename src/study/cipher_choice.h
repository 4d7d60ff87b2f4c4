#pragma once

#include <memory>

#include "paillier/cipher.h"
#include "study/study.h"

namespace sotto {

// What the parties of a simulated `dishuf` encrypt with: the same answers, bit for bit.
enum class CipherChoice {
  kIdeal,     // nothing is hidden, and nothing has to be: all parties are here
  kPaillier,  // as on a network: [dishuf] key_bits and randomness
};

// nullptr for the ideal one, which simulations take by themselves.
[[nodiscard]] Result<std::unique_ptr<Cipher>> cipher_for(const Study& study, CipherChoice choice);

}  // namespace sotto
