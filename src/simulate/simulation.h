#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "paillier/cipher.h"
#include "privacy/seal.h"
#include "protocol/consensus_plan.h"
#include "simulate/engine.h"

namespace sotto {

// All parties in one process, from one seed. Sealing always goes message by
// message through the state machines; the rounds after the release do too, or
// take the vectorised engine. Same seed, same bits.
enum class RoundsBy { kMessages, kEngine };

struct LocalNoise {
  double sigma = 0;
};

// What is public about a run of `ac`, `dishuf` or `pairwise`.
struct AveragingSetup {
  Weights weights;
  ConsensusPlan consensus;
  std::variant<LocalNoise, ShuffleNoise, PairwiseNoise> noise;
};

// What is public about a run of `gt`.
struct TrackingSetup {
  Weights weights;
  std::size_t dimension = 0;
  GridLaplace laplace;
  double sigma = 0;
  double step = 0;  // β
  Round rounds = 0;
};

// Where a simulation's randomness comes from. With the operating system's, noise
// is drawn by the exact samplers, as a party on the network draws it: that is
// what a simulation over real tables must use. Averaging only.
enum class RandomFrom { kSeed, kOperatingSystem };

// Sees what every party of a trial releases, before the rounds: all of it is public.
using ReleaseObserver =
    std::function<void(std::uint64_t trial, std::span<const Released> releases)>;

struct SimulationOptions {
  RandomFrom random_from = RandomFrom::kSeed;
  std::uint64_t seed = 0;  // kSeed only
  std::uint64_t first_trial = 0;
  std::size_t trials = 1;
  RoundsBy rounds_by = RoundsBy::kEngine;
  const Cipher* cipher = nullptr;                  // the ideal one by default
  RandomSource* schedule = nullptr;                // order of delivery; kMessages only
  std::function<void(std::size_t)> on_trial = {};  // after each trial or batch: how many are done
  ReleaseObserver on_release = {};                 // averaging with kEngine only
};

// sums[trial][party][entry]: every party's estimate of Σθ_i. secrets[party].
[[nodiscard]] Result<TrialValues> simulate_averaging(const AveragingSetup& setup,
                                                     std::span<const Secret> secrets,
                                                     const SimulationOptions& options);

// x[trial][party][entry].
[[nodiscard]] Result<TrialValues> simulate_tracking(const TrackingSetup& setup,
                                                    std::span<const Secret> secrets,
                                                    const SimulationOptions& options,
                                                    const TrackingObserver& observer = {});

// The perturbed costs of one trial, for those who study their rate.
[[nodiscard]] std::vector<PerturbedCost> draw_costs(const TrackingSetup& setup,
                                                    std::span<const Secret> secrets,
                                                    std::uint64_t seed, std::uint64_t trial);

}  // namespace sotto
