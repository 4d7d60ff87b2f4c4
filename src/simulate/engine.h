#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/weights.h"
#include "privacy/seal.h"
#include "protocol/consensus.h"

namespace sotto {

// The vectorised engine: the rounds of many trials at once, without messages.
// Trials lie side by side in memory, so that the inner loops run over
// neighbouring numbers; every number goes through the same operations in the
// same order as in protocol/, so the bits are the same.

// [trial][party][entry]
using TrialValues = std::vector<std::vector<std::vector<double>>>;

// Where the parties of several trials stand after a round: y of the averaging, x of gradient
// tracking.
class RoundView {
 public:
  // Where party i's entry k of trial t is: i·party + k·entry + t·trial.
  struct Strides {
    std::size_t party;
    std::size_t entry;
    std::size_t trial;
  };
  RoundView(const double* values, Strides strides, std::size_t entries, std::size_t trials)
      : values_(values), strides_(strides), entries_(entries), trials_(trials) {}
  [[nodiscard]] std::size_t trials() const { return trials_; }
  [[nodiscard]] std::size_t entries() const { return entries_; }
  [[nodiscard]] double at(PartyId party, std::size_t entry, std::size_t trial) const {
    return values_[party * strides_.party + entry * strides_.entry + trial * strides_.trial];
  }

 private:
  const double* values_;
  Strides strides_;
  std::size_t entries_;
  std::size_t trials_;
};

// Sees round 0, before anything was said, and every round after it.
using RoundObserver = std::function<void(Round, const RoundView&)>;

// values ← what `plain` or `chebyshev` makes of them.
void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values,
                          const RoundObserver& observer = {});

// Gradient tracking of several trials, costs[trial][party]. Returns x[trial][party][entry] after
// the last round; x = 0 before the first.
[[nodiscard]] TrialValues run_gradient_tracking(const Weights& weights,
                                                std::span<const std::vector<PerturbedCost>> costs,
                                                double step, Round rounds,
                                                const RoundObserver& observer = {});

}  // namespace sotto
