#pragma once

#include "graph/spectrum.h"
#include "privacy/seal.h"
#include "protocol/message.h"

// From releases to their average: a plan from the public graph, and the party that follows it.
namespace sotto {

// How the average is reached. All of it is post-processing of what everybody
// may see, so the choice is free: docs/proofs/consensus.md.
enum class ConsensusMethod { kPlain, kChebyshev, kExact };

[[nodiscard]] std::string to_string(ConsensusMethod method);
[[nodiscard]] std::optional<ConsensusMethod> consensus_method_from(std::string_view name);

// Rounds are fixed here, from the public graph, never from data.
struct ConsensusPlan {
  ConsensusMethod method = ConsensusMethod::kExact;
  Round rounds = 0;
  double tolerance = 0;     // τ
  double rate = 0;          // the factor by which a round shrinks the disagreement, asymptotically
  double spectrum_low = 0;  // W's spectrum on disagreements lies in [low, high]
  double spectrum_high = 0;
};

// plain:      rate ρ = max(|1−λ₂|, |1−λ_n|), rounds ⌈ln τ / ln ρ⌉
// chebyshev:  rounds ⌈acosh(1/τ) / acosh x⌉, x = (2 − low − high)/(high − low), rate e^{−acosh x}
// exact:      as many rounds as the graph's diameter
// τ is the factor by which the disagreement must shrink; 0 < τ < 1.
[[nodiscard]] Result<ConsensusPlan> plan_consensus(ConsensusMethod method, double tolerance,
                                                   const Weights& weights);

// One round of a linear method: y(t+1) = mixed·Wy(t) + current·y(t) + previous·y(t−1).
struct MixingStep {
  double mixed = 1;
  double current = 0;
  double previous = 0;
};

// The steps of a plan, one after the other. Everybody runs through the same ones.
class MixingSchedule {
 public:
  explicit MixingSchedule(const ConsensusPlan& plan) : plan_(plan) {}
  [[nodiscard]] MixingStep next();

 private:
  ConsensusPlan plan_;
  double ratio_ = 0;  // T_{k−1}(x)/T_k(x), 0 before the first round
};

// One party of the averaging that follows a release.
class Consensus : public Party {
 public:
  // Precondition: done().
  [[nodiscard]] virtual Average average() const = 0;
};

// `initial` is what this party released, y_i(0).
[[nodiscard]] std::unique_ptr<Consensus> make_consensus(const ConsensusPlan& plan, PartyId self,
                                                        const Weights& weights, Released initial);

namespace protocol {

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

}  // namespace protocol
}  // namespace sotto
