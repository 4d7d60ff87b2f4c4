#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/random.h"
#include "paillier/cipher.h"
#include "paillier/packing.h"
#include "privacy/seal.h"
#include "protocol/message.h"

namespace sotto {

// The part of a run in which nothing readable leaves a party: what neighbours do
// together before the release.
class Sealing : public Party {
 public:
  // What this party may show to everybody. Precondition: done().
  [[nodiscard]] virtual Released release() const = 0;
  // How many numbers the release will have.
  [[nodiscard]] virtual std::size_t entries() const = 0;
};

// `ac`: nothing to do together.
[[nodiscard]] std::unique_ptr<Sealing> make_local_sealing(const Secret& secret, double sigma,
                                                          NoiseSource& noise);

// `dishuf`, Algorithm 2. `noise` gives the mask η, the noise γ and the
// multipliers; `key` is the party's own, of this shuffle only, and `cipher_random` gives the
// ciphertexts' randomness, so that the same noise can be shuffled under any cipher. Both sources
// outlive the sealing, and so does the cipher. A value too large for its slot, or a key too short
// for one, is start()'s error: then nothing has left the party.
[[nodiscard]] std::unique_ptr<Sealing> make_shuffle(PartyId self, const Graph& graph,
                                                    const Secret& secret,
                                                    const ShuffleNoise& parameters,
                                                    NoiseSource& noise, const Cipher& cipher,
                                                    std::unique_ptr<DecryptionKey> key,
                                                    RandomSource& cipher_random);

// How the shuffle's entries share plaintexts: public numbers, so all parties have the same.
// An error says which key would be long enough. docs/proofs/packing.md
[[nodiscard]] Result<Packing> shuffle_packing(const ShuffleNoise& parameters, Grid grid,
                                              std::optional<std::size_t> plaintext_bits);

// a_{i→j} for each neighbour j, in ascending order: uniform in [⌈ā/√2⌉, ā].
[[nodiscard]] IntegerVector draw_multipliers(const Graph& graph, PartyId self,
                                             const ShuffleNoise& parameters, NoiseSource& noise);

// `pairwise`: an X25519 key per edge; both ends draw the edge's mask from the
// shared secret. `context` binds the secret to this study.
[[nodiscard]] std::unique_ptr<Sealing> make_pairwise(PartyId self, const Graph& graph,
                                                     const Secret& secret,
                                                     const PairwiseNoise& parameters,
                                                     NoiseSource& noise, RandomSource& key_random,
                                                     std::string_view context);

}  // namespace sotto
