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
  double known = 0;  // 1 where N̂ ≥ 4σ_N, 0 below 2σ_N: whether N̂'s noise is small beside it
};

// The posterior of (N, μ, v) on a grid, under the prior 1/N; v/(1 − μ²) log-uniform on [1e-3, 1],
// in twelve cells that are each integrated exactly; and for μ an even chance that the target lies
// about the middle of its bounds, or anywhere in them:
//
//     π(μ) = ½·φ(μ/τ)/τ + ½·½,   τ = 0.15
//     p(N, μ, v) ∝ φ((N̂ − N)/σ_N)·φ((t̂ − Nμ)/σ_t)·φ((ĉ − N(v + μ²))/σ_c)·π(μ)/(N·v)
//
// without the factor of ĉ where it is not there. `mean` is, by how far N̂ stands from 0:
//
//     N̂ ≥ 4σ_N     μ̂ − min(|μ̂|·P·s²/(s² + τ²), 0.3s)·sign μ̂,   μ̂ = clip(t̂/N̂),
//                  s² = (σ_t² + μ̂²σ_N²)/N̂²,   P = π₀/(π₀ + ½),   π₀ = φ(μ̂/√(s² + τ²))/√(s² + τ²)
//     2σ_N         E μ
//     N̂ ≤ 1.25σ_N  clip(t̂/max(N̂, 1.8σ_N)), but 0 where |t̂| ≤ 0.7σ_t; all of it from 0.9σ_t on
//
// and between them a mixture. So a mean that the noise leaves far from the middle is the ratio of
// the sums, and one that may well be noise about the middle is pulled there, but never far from the
// ratio; and where the noise hides N, a sum that stands out of its own noise is believed to come
// from a target near a bound. Derivation and measurements: docs/proofs/noise_aware.md.
[[nodiscard]] TargetPosterior target_posterior(const TargetSums& sums);

}  // namespace sotto::solve
