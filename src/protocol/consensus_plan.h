#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/spectrum.h"
#include "graph/weights.h"
#include "protocol/message.h"

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

}  // namespace sotto
