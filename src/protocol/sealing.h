#pragma once

#include <functional>

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
  // Whether it has made a message that depends on the value (StagedParty::shown).
  [[nodiscard]] virtual bool shown() const = 0;
  // How many numbers the release will have.
  [[nodiscard]] virtual std::size_t entries() const = 0;
};

// How the two ends of an edge agree on what `pairwise` masks with. The ideal one is for simulations
// as the ideal cipher is: each end draws a word, both words are the seed, and nothing is hidden.
enum class Agreement { kX25519, kIdeal };

// What a party brings to its sealing. The sources, and the cipher, outlive it.
struct SealingInputs {
  PartyId self;
  const Graph& graph;
  const Secret& secret;
  NoiseSource& noise;  // masks, noise and multipliers
  RandomSource& keys;  // keys and the ciphertexts' randomness: any cipher shuffles the same noise
  const Cipher* cipher = nullptr;  // dishuf
  // dishuf: one for each neighbour, in ascending order, for this run only; drawn if there are none.
  // Asked for with the first offer or answer: making them takes long, and noise is drawn before.
  std::function<KeyPairs()> key_pairs = {};
  std::string_view context = {};             // pairwise: binds the edges' secrets to this study
  Agreement agreement = Agreement::kX25519;  // pairwise
};

// The sealing that belongs to a noise; this is the one place where it is chosen. `gt` has none:
// it perturbs its costs, and nobody else takes part.
//
//   ac        nothing to do together; nor with Laplace noise
//   dishuf    Algorithm 2. A value too large for its slot, or a key too short for one, is start()'s
//             error: then nothing has left the party.
//   pairwise  an X25519 key per edge; both ends draw the edge's mask from the shared secret
[[nodiscard]] std::unique_ptr<Sealing> make_sealing(const Noise& noise, SealingInputs inputs);

// How the shuffle's entries share plaintexts: public numbers, so all parties have the same.
// `least_weight` is the smallest of the secret's, whose entry has the largest mask.
// An error says which key would be long enough. docs/proofs/packing.md
[[nodiscard]] Result<Packing> shuffle_packing(const ShuffleNoise& parameters, Grid grid,
                                              double least_weight,
                                              std::optional<std::size_t> plaintext_bits);

namespace protocol {

[[nodiscard]] std::unique_ptr<Sealing> seal_ac(const LocalNoise& noise,
                                               const SealingInputs& inputs);
[[nodiscard]] std::unique_ptr<Sealing> seal_laplace(const LaplaceNoise& noise,
                                                    const SealingInputs& inputs);
[[nodiscard]] std::unique_ptr<Sealing> seal_dishuf(const ShuffleNoise& noise, SealingInputs inputs);
[[nodiscard]] std::unique_ptr<Sealing> seal_pairwise(const PairwiseNoise& noise,
                                                     const SealingInputs& inputs);

// a_{i→j} for each neighbour j, in ascending order: uniform in [⌈ā/√2⌉, ā].
[[nodiscard]] IntegerVector draw_multipliers(const Graph& graph, PartyId self,
                                             const ShuffleNoise& parameters, NoiseSource& noise);

}  // namespace protocol
}  // namespace sotto
