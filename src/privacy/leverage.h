#pragma once

#include <cstddef>

#include "base/integer.h"
#include "graph/graph.h"

// What calibrate_shuffle may count on against curious parties. Not for other rooms.
namespace sotto {

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

}  // namespace sotto
