#pragma once

// Keys for tests, made once per process: primes take time.

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <set>

#include "base/random.h"
#include "paillier/cipher.h"
#include "paillier/decryption_key.h"
#include "paillier/primes.h"

namespace sotto {

inline void PrintTo(Randomness randomness, std::ostream* out) {
  *out << (randomness == Randomness::kHalf ? "half" : "full");
}

}  // namespace sotto

namespace sotto::paillier_test {

using paillier::PaillierDecryptionKey;
using paillier::PrimePair;

inline const PrimePair& shared_primes(std::size_t key_bits) {
  static std::map<std::size_t, PrimePair> primes;
  if (!primes.contains(key_bits)) {
    SeededRandom random(key_bits);
    primes.emplace(key_bits, paillier::random_prime_pair(key_bits, random));
  }
  return primes.at(key_bits);
}

inline const DecryptionKey& shared_key(std::size_t key_bits, Randomness randomness) {
  static std::map<std::pair<std::size_t, Randomness>, std::unique_ptr<DecryptionKey>> keys;
  auto& key = keys[{key_bits, randomness}];
  if (!key) {
    SeededRandom random(key_bits + 1);
    key = std::make_unique<PaillierDecryptionKey>(shared_primes(key_bits), randomness, random);
  }
  return *key;
}

}  // namespace sotto::paillier_test
