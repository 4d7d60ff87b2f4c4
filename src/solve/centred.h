#pragma once

#include "solve/estimators.h"
#include "solve/release.h"

// The estimator "noise-aware" for tables whose rows are weighted: centred by means that the noise
// leaves, slopes averaged over prior beliefs by how well each explains what was released.
namespace sotto {

// θ of the released sums N, s, G, t, q, c of weighted rows (1, u, y), |u_k| ≤ 1, with every entry's
// own noise. With N, ȳ and the target's spread Nv from target_posterior(), and the columns' means m
// after James and Stein, but shrunk no further than a prior N(0, τ²) would, τ = 0.3:
//
//     κ = max(1 − (d − 2)₊·σ_s²/‖ŝ‖², τ²/(τ² + σ_s²/N²)),   m = clip(κ∘ŝ/N)
//     S = Ĝ − N·mmᵀ − diag(κσ_s²)/N,   r = q̂ − N·m·ȳ
//     S = QΛQᵀ,   m1_i = E[X | X ≥ 0], X ~ N(λ_i − σ²Σ_j D/(D² + σ²), σ²),   D = λ_i − λ_j,
//     m2_i = m1_i(m1_i + √(m1_i² + 2σ²d))/2,   S₁ = Q·diag(m1)·Qᵀ,   X = Q·diag(m2 − m1²)·Qᵀ
//     V₀ = v·w̄·S₁ + diag(σ_q² + ȳ²κσ_s²) + h·mmᵀ,   h = σ_t² + ȳ²σ_N²
//
// and prior beliefs: no slopes at all (0.2), or slopes ~ N(0, f·b·diag(p)) with p = 1 or
// p = 1/(1 − m²), f = 10^¼ … 10^2 in five steps with weight 1/f, b such that f = 1 explains all
// of Nv. Each gives
//
//     V = V₀ + f·b·(S₁·diag(p)·S₁ + p̄·X),   evidence N(r; 0, V),   slopes f·b·p∘(S₁V⁻¹r),
//     mean ȳ + (h/N)·mᵀV⁻¹r,
//
// and slopes β and mean are averages by prior and evidence; the mean moves only as far as N̂ stands
// out of its noise (TargetPosterior::known). What m does not know goes against the slopes,
//
//     (S₁ + N·Cov m)⁻¹S₁β,   N·Cov m = (diag(κσ_s²) + σ_N²·mmᵀ)/N,
//
// and the intercept is mean − m·slopes. m1 is scaled down where its sum exceeds N·Σ(1 − m²).
// Columns whose Σu² has more noise than others are divided so that it has as much (a former target
// among the features). Needs an intercept. Derivation and measurements: docs/proofs/noise_aware.md.
[[nodiscard]] Result<Estimate> centred_noise_aware(const TableSums& table);

}  // namespace sotto
