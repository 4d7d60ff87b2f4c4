#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/weights.h"
#include "privacy/seal.h"
#include "protocol/consensus_plan.h"
#include "report/run_record.h"

namespace sotto {

// What all parties saw of a run, as one name: SHA-256, hexadecimal, over every
// party's release in the study's order. The same releases, the same hash.
[[nodiscard]] std::string transcript_hash(std::span<const Released> releases);

// How the parties' averages came together: max_i ‖y_i − ȳ‖ after a round, relative
// to the start, at up to kConvergencePoints rounds. In `exact`, y_i is the mean of
// the releases that have reached party i. Empty where the values are past what
// doubles hold, or the network is too large to do it again for a chart.
inline constexpr std::size_t kConvergencePoints = 40;
[[nodiscard]] std::vector<RunRecord::RoundPoint> convergence(const Weights& weights,
                                                             const ConsensusPlan& plan,
                                                             std::span<const Released> releases);

}  // namespace sotto
