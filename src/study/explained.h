#pragma once

#include <optional>

#include "solve/estimators.h"
#include "solve/noisy_sums.h"

namespace sotto {

// How much of the target's variance a fitted model explains, judged from the
// released sums alone. Post-processing: costs no privacy.
struct Explained {
  double share = 0;  // 1 is perfect, 0 as good as the trivial prediction, below 0 worse
  double low = 0;    // 95 % interval
  double high = 0;
};

// What the sums of a table are, beside Â and b̂.
struct TableSums {
  NoisySums sums;
  bool squares_released = true;
  double sum_of_squares = 0;  // ĉ, Σy² with noise of sd sigma_c, if released
  double sigma_c = 0;
  bool intercept = true;  // x's first entry is the same in every row
};

// With G = T − RSS(θ) the gain over the trivial prediction (the target's mean, or
// 0 without an intercept), T = c − M, M = b₀²/A₀₀ (or 0):
//
//     G = 2θᵀb − θᵀAθ − M
//
// Â and b̂ in its place would flatter θ, which was fitted to their noise. Stein's
// identity says by how much:
//
//     Ĝ = 2θᵀb̂ − θᵀÂθ − 2σ_B²·div_b θ + σ_A²·div_A θθᵀ − (b̂₀² − σ_B²)/Â₀₀
//     Var ≈ 4σ_B²‖θ − m‖² + σ_A²‖θθᵀ − mmᵀ‖²,   m = (b̂₀/Â₀₀, 0, …),
//
// the divergences by differences along random directions from a fixed seed.
// Nothing without Σy², and where T̂ or Â₀₀ is not clearly above its noise: then nothing can be said.
[[nodiscard]] std::optional<Explained> explained_variance(Estimator estimator,
                                                          const Eigen::VectorXd& theta,
                                                          const TableSums& table);

}  // namespace sotto
