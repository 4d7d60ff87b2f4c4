#pragma once

// Whole shuffles for the tests of this room, under any cipher.

#include <memory>
#include <vector>

#include "privacy/calibrate/dishuf.h"
#include "protocol/sealing.h"
#include "support/parties.h"

namespace sotto::protocol_test {

// All parties of one shuffle, each with its own streams of one seed.
struct ShuffleNetwork {
  std::vector<std::unique_ptr<NoiseSource>> noise;
  std::vector<std::unique_ptr<RandomSource>> random;
  Parties parties;

  ShuffleNetwork(const Graph& graph, const std::vector<Secret>& secrets,
                 const ShuffleNoise& parameters, std::uint64_t seed,
                 const Cipher& cipher = ideal_cipher()) {
    for (PartyId i = 0; i < graph.size(); ++i) {
      noise.push_back(fast_noise(seed, std::uint64_t{2} * i));
      random.push_back(std::make_unique<SeededRandom>(seed, std::uint64_t{2} * i + 1));
      parties.push_back(
          make_sealing(parameters, {i, graph, secrets[i], *noise[i], *random[i], &cipher}));
    }
  }
  [[nodiscard]] Released release(PartyId party) const {
    return static_cast<const Sealing&>(*parties[party]).release();
  }
  [[nodiscard]] IntegerVector sum() const {
    IntegerVector total(release(0).indices.size());
    for (PartyId i = 0; i < parties.size(); ++i) {
      const Released released = release(i);
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += released.indices[k];
    }
    return total;
  }
};

// Σ(Z·T_i + Γ_i): the same noise, and no shuffle at all.
inline IntegerVector unshuffled_sum(const Graph& graph, const std::vector<Secret>& secrets,
                                    const ShuffleNoise& parameters, std::uint64_t seed) {
  IntegerVector total(secrets[0].size());
  for (PartyId i = 0; i < secrets.size(); ++i) {
    const auto noise = fast_noise(seed, std::uint64_t{2} * i);
    const ShuffleSeal seal(secrets[i], parameters, graph.degree(i), *noise);
    const Released released = seal.release(IntegerVector(total.size()));
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += released.indices[k];
  }
  return total;
}

inline ShuffleNoise graph_noise(const Graph& graph) {
  return *calibrate_shuffle(graph, *Sensitivity::make(3), *Budget::make(10, 0.2), {.g = 0.01}, 0);
}

// Draws a study from the seed, and compares all releases under `cipher` with those under the ideal
// one: T and Γ are the same, so equal releases are equal Δ_i.
inline void expect_same_releases(std::uint64_t seed, std::size_t max_parties,
                                 std::size_t max_entries, const Cipher& cipher) {
  SeededRandom random(seed);
  const std::size_t parties = 2 + random.below(max_parties - 1);
  const std::size_t entries = 1 + random.below(max_entries);
  const Graph graph = connected_graph(parties, random.below(60), random);
  const Sensitivity mu = *Sensitivity::make(random.below(2) == 0 ? 3 : 0.01);
  const Budget budget = *Budget::make(0.1 + static_cast<double>(random.below(10)), 1e-6);
  const ShuffleParameters parameters{
      .g = 0.01,
      .multiplier_max = 2 + random.below(1U << 20),
      .masks = random.below(2) == 0 ? ShuffleMasks::kShared : ShuffleMasks::kPerNeighbour};
  const ShuffleNoise noise = random.below(3) == 0
                                 ? *calibrate_lemma1(parties, mu, budget, parameters)
                                 : *calibrate_shuffle(graph, mu, budget, parameters, 0);
  std::vector<Secret> secrets;
  for (const auto& theta : small_numbers(parties, entries, random)) {
    secrets.push_back(Secret::of_entries(theta, mu));
  }
  const ShuffleNetwork ideal(graph, secrets, noise, seed);
  const ShuffleNetwork real(graph, secrets, noise, seed, cipher);
  deliver_all(ideal.parties);
  deliver_all(real.parties, &random);
  if (testing::Test::HasFatalFailure()) return;
  for (PartyId i = 0; i < parties; ++i) {
    EXPECT_EQ(ideal.release(i).indices, real.release(i).indices) << "seed " << seed;
  }
}

}  // namespace sotto::protocol_test
