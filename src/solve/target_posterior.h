#pragma once

#include <optional>

// What noisy sums say of a target's mean and variance.
namespace sotto::solve {

// A released number and the standard deviation of its noise.
struct NoisyNumber {
  double value = 0;
  double sd = 0;
};

// N̂ = Σw, t̂ = Σwy, and ĉ = Σwy² where it was released; |y| ≤ 1.
struct TargetSums {
  NoisyNumber count;
  NoisyNumber sum;
  std::optional<NoisyNumber> squares;
};

struct TargetPosterior {
  double count = 0;     // E N
  double count_sd = 0;  // √Var N
  double mean = 0;      // see below
  double spread = 0;    // exp E ln Nv, v the target's variance
};

// The posterior of (N, μ, v) on a grid, under the prior 1/N; μ uniform on [−1, 1]; v/(1 − μ²)
// log-uniform on [1e-3, 1], in twelve cells that are each integrated exactly:
//
//     p(N, μ, v) ∝ φ((N̂ − N)/σ_N)·φ((t̂ − Nμ)/σ_t)·φ((ĉ − N(v + μ²))/σ_c)·prior
//
// without the last factor where ĉ is not there. `mean` is E μ where the noise hides N, and the
// ratio of the sums where it does not, with ω from 0 to 1 as N̂/σ_N goes from 2 to 4:
//
//     mean = ω·clip(t̂/N̂) + (1 − ω)·E μ
//
// The ratio is what anybody would compute; E μ is pulled to the middle, which costs much on skewed
// targets, and is needed where the ratio is noise over noise. Proof: docs/proofs/noise_aware.md.
[[nodiscard]] TargetPosterior target_posterior(const TargetSums& sums);

}  // namespace sotto::solve
