#pragma once

#include <memory>
#include <vector>

#include "privacy/seal.h"
#include "protocol/consensus_plan.h"
#include "protocol/message.h"

namespace sotto {

// One party of the averaging that follows a release.
class Consensus : public Party {
 public:
  // n times the average, as this party has it: an estimate of Σ_i θ_i. Precondition: done().
  [[nodiscard]] virtual std::vector<double> sum() const = 0;
};

// `initial` is what this party released, y_i(0).
[[nodiscard]] std::unique_ptr<Consensus> make_consensus(const ConsensusPlan& plan, PartyId self,
                                                        const Weights& weights, Released initial);

// Whether a message may stand in the first round of averaging `entries` numbers. For what comes
// before this party has anything to average itself: a neighbour that sealed first is one round
// ahead, and no more.
[[nodiscard]] Result<void> inspect_first_round(const ConsensusPlan& plan, const Graph& graph,
                                               std::size_t entries, const Message& message);

// Wy at one party, for one entry: y_i + Σ_j w_ij(y_j − y_i), neighbours in ascending
// order. Written once: the order of the additions is part of the result's bits.
template <class NeighbourValue>
[[nodiscard]] double mix(double own, std::span<const double> weights, NeighbourValue neighbour) {
  double mixed = own;
  for (std::size_t k = 0; k < weights.size(); ++k) mixed += weights[k] * (neighbour(k) - own);
  return mixed;
}

[[nodiscard]] inline double apply(const MixingStep& step, double mixed, double current,
                                  double previous) {
  return step.mixed * mixed + step.current * current + step.previous * previous;
}

}  // namespace sotto
