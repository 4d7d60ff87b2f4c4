#include "protocol/drawing_party.h"

namespace sotto {
namespace {

// The number-th key that `key` gives.
KeyedRandom::Key stream(const KeyedRandom::Key& key, int number) {
  KeyedRandom random(key);
  KeyedRandom::Key result{};
  for (int k = 0; k <= number; ++k) random.fill(result);
  return result;
}

}  // namespace

DrawingParty::DrawingParty(const KeyedRandom::Key& key)
    : noise_bits_(stream(key, 0)), keys_(stream(key, 1)), noise_(exact_noise(noise_bits_)) {}

}  // namespace sotto
