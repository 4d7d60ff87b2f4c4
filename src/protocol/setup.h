#pragma once

#include <functional>

#include "privacy/noise/fast_draws.h"
#include "privacy/secrets.h"
#include "protocol/consensus.h"

namespace sotto {

// What is public about a run: the parties' state machines are made from it, in the
// simulator as on a network.

// A run of `ac`, `dishuf` or `pairwise`.
struct AveragingSetup {
  Weights weights;
  ConsensusPlan consensus;
  Noise noise;
};

// A run of `gt`.
struct TrackingSetup {
  Weights weights;
  std::size_t dimension = 0;
  GridLaplace laplace;
  double sigma = 0;
  double step = 0;  // β
  Round rounds = 0;
};

using Setup = std::variant<AveragingSetup, TrackingSetup>;

// What one party of a run brings. The cipher outlives the party.
struct PartyInputs {
  PartyId self;
  const Secret& secret;
  const KeyedRandom::Key& draws;             // all of the party's random numbers come from it
  const Cipher* cipher = nullptr;            // dishuf
  std::function<KeyPairs()> key_pairs = {};  // dishuf: as SealingInputs has them
  std::string_view context = {};             // the study: pairwise binds its secrets to it
};

// One party of a run, which owns what it draws from and waits at the barrier. The noise has one
// stream and keys and ciphertexts another, so that neither depends on how much the other takes.
[[nodiscard]] std::unique_ptr<StagedParty> make_party(const Setup& setup, PartyInputs inputs);

// Who draws what in a simulation.
using noise::Draws;
[[nodiscard]] std::uint64_t simulated_stream(std::uint64_t trial, PartyId party, Draws purpose);

// The perturbed costs of one simulated trial of `gt`.
[[nodiscard]] std::vector<PerturbedCost> draw_costs(const TrackingSetup& setup,
                                                    const Secrets& secrets, std::uint64_t seed,
                                                    std::uint64_t trial);

}  // namespace sotto
