#pragma once

#include <cstddef>
#include <cstdint>

#include "base/integer.h"
#include "graph/graph.h"
#include "graph/spectrum.h"
#include "privacy/budget.h"

namespace sotto {

// Noise of `dishuf`: y_i(0) = θ_i + ζΔ_i + γ_i with T̄_i = θ_i + η_i in the shuffle.
// Exact numbers, because lemma1's σ_η does not fit any floating-point format.
struct ShuffleNoise {
  Rational sigma_gamma;
  Rational sigma_eta;
  Integer inverse_zeta;          // Z = 1/ζ
  std::uint64_t multiplier_max;  // ā; multipliers are drawn from [⌈ā/√2⌉, ā]
};

// Noise of `pairwise`: y_i(0) = θ_i + γ_i + Σ_j ±r_ij.
struct PairwiseNoise {
  double sigma_gamma = 0;
  double sigma_edge = 0;
};

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

// Against every coalition of up to `colluders` parties. docs/proofs/pairwise.md
[[nodiscard]] Result<PairwiseNoise> calibrate_pairwise(const Graph& graph, Sensitivity sensitivity,
                                                       const Budget& budget, double g,
                                                       std::size_t colluders);

// The smallest integer a with a ≥ ā/√2, so that a product of two multipliers is at least ā²/2.
[[nodiscard]] std::uint64_t multiplier_min(std::uint64_t multiplier_max);

}  // namespace sotto
