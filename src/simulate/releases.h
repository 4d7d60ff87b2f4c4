#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "privacy/secrets.h"
#include "privacy/trial_seal.h"
#include "protocol/setup.h"
#include "simulate/engine.h"
#include "simulate/simulation.h"

namespace sotto {

// Every rank must be able to go on in words.
[[nodiscard]] Result<void> all_in_words(const SimulationOptions& options, bool words);

// What goes into the rounds, trial after trial: in words where the numbers fit and nobody wants to
// see the releases, message by message everywhere else. Setup, secrets and options stay where they
// are.
class Releases {
 public:
  Releases(const AveragingSetup& setup, const Secrets& secrets, const SimulationOptions& options);

  [[nodiscard]] Result<void> ready() const { return all_in_words(options_, seal_.has_value()); }

  // `count` trials from `number` in the seed's order on: what each party of the t-th releases goes
  // to released.at(t, party), of `exact` only if that is watched; of `exact` its sum to
  // sums.at(done + t, 0).
  [[nodiscard]] Result<void> draw(std::uint64_t number, std::size_t count, TrialValues& released,
                                  std::size_t done, TrialValues& sums);
  // Of `exact` that nobody watches: the sums of all trials, if they can be had without releases.
  [[nodiscard]] bool sum_alone(TrialValues& sums);

  [[nodiscard]] bool exact() const { return setup_.consensus.method == ConsensusMethod::kExact; }
  [[nodiscard]] bool wants_released() const { return !exact() || options_.on_round; }

 private:
  void in_words(std::uint64_t number, std::size_t count, TrialValues& released, std::size_t done,
                TrialValues& sums);
  // Integers have one sum, in any order.
  void add_other_ranks(std::vector<TrialSeal::Index>& totals) const;

  const AveragingSetup& setup_;
  const Secrets& secrets_;
  const SimulationOptions& options_;
  std::optional<TrialSeal> seal_;
  std::vector<TrialSeal::Index> indices_;
};

}  // namespace sotto
