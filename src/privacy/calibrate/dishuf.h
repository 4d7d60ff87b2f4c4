#pragma once

#include "base/integer.h"
#include "graph/graph.h"
#include "privacy/calibrate/noise.h"

// The noise of `dishuf`: σ_γ stays in the sum, σ_η cancels there. From the graph's own spectrum,
// or by the paper's Lemma 1.
namespace sotto {

struct ShuffleParameters {
  double g = 0.001;  // how much more noise than the central mechanism: (1+g) times
  std::uint64_t multiplier_max = 1000;
  ShuffleMasks masks = ShuffleMasks::kPerNeighbour;
  // How often a run may have to shuffle: each time that it is given up, neighbours have seen one
  // masked value more.
  std::size_t attempts = 1;
  // What earlier attempts, with more parties, drew masks of: their looks were counted with it.
  double least_sigma_eta = 0;
};

// From the graph's own spectrum, for every draw of the multipliers and against every coalition of
// `colluders` parties: docs/proofs/per_neighbour.md; with shared masks
// docs/proofs/graph_calibration.md and coalition.md.
// E-shuffle-mask if shared masks would be too small to protect anybody from a neighbour.
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

// What is around one party when a coalition has left the graph: all that the bound needs to know.
struct Surroundings {
  std::size_t honest = 0;   // h: the parties in its part of the rest, itself included
  double lambda_2 = 0;      // of that part's L₀, rounded down
  double lambda_max = 0;    // rounded up
  std::size_t curious = 0;  // d: its neighbours in the coalition
};

// Those that matter, of every coalition of this size (0: nobody, the eavesdropper's) and every
// party outside it. By looking at each coalition, or at bounds that hold for all; nothing if there
// are too many and the bounds say nothing.
[[nodiscard]] std::optional<std::vector<Surroundings>> surroundings(const Graph& graph,
                                                                    std::size_t coalition);

// With a mask of its own for every neighbour, and s = ζλ(L_a) ∈ [s₂, s_max] for all multipliers:
//
//     (shift/Δ)² ≤ 1/(hσ_γ²) + (1−1/h)·max (1−s)²/(σ_γ² + σ_η²ζā²s) + looks/σ_η²,
//
// the maximum at one of the two ends. docs/proofs/per_neighbour.md
[[nodiscard]] double per_neighbour_shift(const Surroundings& around, const ShuffleNoise& noise,
                                         Sensitivity sensitivity, double looks);

// How many masked values of a party, each under one mask, observers have seen after `attempts`
// shuffles: all of its curious neighbours one each time, and of others that were given up since, at
// most attempts − 1 in all, what they may have released before, under two masks, so half.
[[nodiscard]] double looks_after(std::size_t attempts, const Surroundings& around);

// 10·√looks·Δ/κ̄: all looks of all neighbours in one attempt, d_max or with shared masks one, are
// at most κ̄²/100.
[[nodiscard]] double least_sigma_eta(std::size_t looks, Sensitivity sensitivity,
                                     const Budget& budget);

// What the formulas for shared masks ask for, be it ever so little.
[[nodiscard]] ShuffleNoise shared_noise(const Graph& graph, Sensitivity sensitivity,
                                        const Budget& budget, ShuffleParameters parameters,
                                        std::size_t colluders);

[[nodiscard]] Result<ShuffleNoise> calibrate_per_neighbour(const Graph& graph,
                                                           Sensitivity sensitivity,
                                                           const Budget& budget,
                                                           ShuffleParameters parameters,
                                                           std::size_t colluders);

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
