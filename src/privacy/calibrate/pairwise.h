#pragma once

#include "graph/graph.h"
#include "privacy/calibrate/noise.h"

// The noise of `pairwise`: σ_γ stays in the sum, the masks of the edges cancel there.
namespace sotto {

// Against every coalition of up to `colluders` parties; with n′ = n − t honest parties and λ₂ the
// smallest over what t parties leave:
//
//     σ_γ = (1+g)Δ/(√n′ κ̄),
//     σ_edge² = [ (1−1/n′)Δ²/(κ̄²(1−(1+g)⁻²)) − σ_γ² ]/λ₂(L₀),   0 if negative.
//
// docs/proofs/pairwise.md.
[[nodiscard]] Result<PairwiseNoise> calibrate_pairwise(const Graph& graph, Sensitivity sensitivity,
                                                       const Budget& budget, double g,
                                                       std::size_t colluders);

}  // namespace sotto
