// Many key pairs at a time: to find primes is what takes long, and each pair finds its own.
#include "paillier/cipher.h"

#include "base/parallel.h"

namespace sotto {

KeyPairs generate_key_pairs(const Cipher& cipher, const KeyedRandom::Key& from,
                            std::span<const std::uint32_t> numbers, std::size_t encryptions) {
  KeyPairs pairs(numbers.size());
  parallel_for(numbers.size(), 0, [&](std::size_t k) {
    KeyedRandom random(derived_key(from, numbers[k]));
    pairs[k] = cipher.generate(random);
    pairs[k]->prepare(encryptions, random);
  });
  return pairs;
}

}  // namespace sotto
