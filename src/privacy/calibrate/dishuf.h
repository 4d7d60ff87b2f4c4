#pragma once

#include "graph/graph.h"
#include "privacy/calibrate/noise.h"

// The noise of `dishuf`: σ_γ stays in the sum, σ_η cancels there. From the graph's own spectrum,
// or by the paper's Lemma 1.
namespace sotto {

struct ShuffleParameters {
  double g = 0.001;  // how much more noise than the central mechanism: (1+g) times
  std::uint64_t multiplier_max = 1000;
};

// From the graph's own spectrum. docs/proofs/graph_calibration.md
// With colluders ≥ 1 it also holds against every coalition of that many parties,
// for every draw of the multipliers: docs/proofs/coalition.md.
[[nodiscard]] Result<ShuffleNoise> calibrate_shuffle(const Graph& graph, Sensitivity sensitivity,
                                                     const Budget& budget,
                                                     ShuffleParameters parameters,
                                                     std::size_t colluders);

// The paper's Lemma 1, with the variance where it belongs. Depends on n alone.
// docs/proofs/lemma1.md
[[nodiscard]] Result<ShuffleNoise> calibrate_lemma1(std::size_t parties, Sensitivity sensitivity,
                                                    const Budget& budget,
                                                    ShuffleParameters parameters);

// The smallest integer a with a ≥ ā/√2, so that a product of two multipliers is at least ā²/2.
[[nodiscard]] std::uint64_t multiplier_min(std::uint64_t multiplier_max);

namespace privacy {

// g, and ā from 2 (below, ⌈ā/√2⌉ = ā and nothing is drawn) to 2^31 (a product fits 64 bits).
[[nodiscard]] Result<void> require_shuffle_parameters(const ShuffleParameters& parameters);

// For every coalition of the size it was made for, every draw of the multipliers
// and every party outside, with r = σ_γ/σ_η (docs/proofs/coalition.md):
//
//     ρ_i ≤ at_rest + per_r²·r².
struct LeverageBound {
  double at_rest = 1;
  double per_r2 = 1;
};

// One curious party on a cycle: the bound below. Otherwise {1, 1}, which holds for
// any graph and any coalition.
[[nodiscard]] LeverageBound leverage_bound(const Graph& graph, std::size_t colluders, double a_bar,
                                           const Integer& inverse_zeta);

// The largest leverage max_i 1/N + (y_i−ȳ)²/Σ(y_j−ȳ)² of N ≥ 2 points on a line
// whose neighbours are between 1 and 2 apart.
[[nodiscard]] double largest_line_leverage(std::size_t points);

}  // namespace privacy
}  // namespace sotto
