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

// averages[trial][party][entry] ← what `plain` or `chebyshev` makes of it.
using TrialValues = std::vector<std::vector<std::vector<double>>>;
void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values);

// Where gradient tracking stands after a round.
class TrackingView {
 public:
  TrackingView(const double* x, std::size_t dimension, std::size_t trials)
      : x_(x), dimension_(dimension), trials_(trials) {}
  [[nodiscard]] std::size_t trials() const { return trials_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] double x(PartyId party, std::size_t entry, std::size_t trial) const {
    return x_[(party * dimension_ + entry) * trials_ + trial];
  }

 private:
  const double* x_;
  std::size_t dimension_;
  std::size_t trials_;
};

using TrackingObserver = std::function<void(Round, const TrackingView&)>;

// Gradient tracking of several trials, costs[trial][party]. The observer, if any, sees round 0 (x =
// 0) and every round after it. Returns x[trial][party][entry] after the last round.
[[nodiscard]] TrialValues run_gradient_tracking(const Weights& weights,
                                                std::span<const std::vector<PerturbedCost>> costs,
                                                double step, Round rounds,
                                                const TrackingObserver& observer = {});

}  // namespace sotto
