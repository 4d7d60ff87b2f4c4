#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/random.h"
#include "paillier/cipher.h"
#include "privacy/secrets.h"
#include "protocol/message.h"
#include "protocol/setup.h"
#include "simulate/engine.h"
#include "simulate/ranks/network_part.h"

// The same state machines as on a network, driven by a loop in one process.
namespace sotto {

// Drives parties message by message until all are done. With a `schedule`, the
// next message to arrive is drawn from it among all that are under way;
// without, messages arrive in the order in which they were sent. A party's error
// ends the run; so does a standstill, which would be a bug in a protocol. Returns how many
// messages there were.
[[nodiscard]] Result<std::uint64_t> run_messages(std::span<const std::unique_ptr<Party>> parties,
                                                 RandomSource* schedule = nullptr);

// All parties in one process, from one seed. Sealing from a seed goes through privacy/trial_seal.h
// in machine words where the numbers fit them, and message by message through the state machines
// where not, over real data, and with a real cipher; the rounds after the release take the
// vectorised engine. All of them give the same bits (same_bits_test.cpp). Same seed, same bits.

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
  const Cipher* cipher = nullptr;                  // the ideal one by default
  std::function<void(std::size_t)> on_trial = {};  // after each trial or batch: how many are done
  ReleaseObserver on_release = {};                 // averaging only
  RoundObserver on_round = {};  // averaging only: every batch's rounds, y_i of each party
  // With `exact` all parties end with the same bits: one party's stand for all.
  bool one_for_all = false;
  bool by_messages = false;  // seal message by message, also where words would do: the same bits
  // That share one trial: its parties are divided between them. 0: one for each core.
  std::size_t threads = 1;
  std::size_t renumber_from = EngineOptions{}.renumber_from;
  // One rank of several: secrets and results are its own parties', at their places. All in words,
  // from a seed: E-ranks-words where numbers do not fit.
  NetworkPart* part = nullptr;
  RoundKeeper* keeper = nullptr;  // one batch of trials only
};

// How many trials go through the engine together.
[[nodiscard]] std::size_t trials_together(std::size_t parties);

// Trials of one setup, some after others: what they have in common (the graph as the rounds walk
// it, what noise is drawn with) is made once. Setup and secrets stay where they are.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  // `trials` from `first` on; those of the options that it was made with do not count.
  [[nodiscard]] virtual Result<TrialValues> run(std::uint64_t first, std::size_t trials,
                                                const RoundObserver& observer = {}) = 0;
};
[[nodiscard]] std::unique_ptr<TrialRunner> averaging_trials(const AveragingSetup& setup,
                                                            const Secrets& secrets,
                                                            const SimulationOptions& options);
[[nodiscard]] std::unique_ptr<TrialRunner> tracking_trials(const TrackingSetup& setup,
                                                           const Secrets& secrets,
                                                           const SimulationOptions& options);
// Secrets that nobody keeps would be gone before the first trial.
std::unique_ptr<TrialRunner> averaging_trials(const AveragingSetup& setup, const Secrets&& secrets,
                                              const SimulationOptions& options) = delete;
std::unique_ptr<TrialRunner> tracking_trials(const TrackingSetup& setup, const Secrets&& secrets,
                                             const SimulationOptions& options) = delete;

// sums.at(trial, party): every party's estimate of Σθ_i.
[[nodiscard]] Result<TrialValues> simulate_averaging(const AveragingSetup& setup,
                                                     const Secrets& secrets,
                                                     const SimulationOptions& options);

// x.at(trial, party).
[[nodiscard]] Result<TrialValues> simulate_tracking(const TrackingSetup& setup,
                                                    const Secrets& secrets,
                                                    const SimulationOptions& options,
                                                    const RoundObserver& observer = {});

}  // namespace sotto
