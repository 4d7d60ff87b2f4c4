#pragma once

#include <Eigen/Core>

#include "solve/estimate.h"
#include "solve/noisy_sums.h"

namespace sotto {

// What the noisy spectrum tells of the true A along each of Â's eigenvectors q_i:
// estimates of q_iᵀAq_i and of q_iᵀA²q_i = ‖Aq_i‖². With v = σ²/2, D = λ_i − λ_j:
//
//     h_i  = Σ_j D/(D² + σ²)
//     m1_i = max(λ_i − 2v·h_i, 0)
//     m2_i = m1_i(m1_i + √(m1_i² + 4vd))/2 + 1e-12
//
// Derivation: docs/proofs/noise_aware.md.
struct TrueMoments {
  Eigen::VectorXd first;
  Eigen::VectorXd second;
};
[[nodiscard]] TrueMoments true_moments(const Eigen::VectorXd& eigenvalues, double sigma);

// The posterior mean of θ under θ ~ N(0, τ²I), residual variance s² = 0.05, and
// τ² on 60 log-spaced points t of [1e-3, 1e2] with prior weight (τ²)^¼. With
// Â = QΛQᵀ, β = Qᵀb̂:
//
//     V_ti    = τ_t²·m2_i + s²·m1_i + σ_B²
//     ln p_t  = −½ Σ_i (ln V_ti + β_i²/V_ti) + ¼ ln τ_t²,  normalised
//     f_i     = Σ_t p_t τ_t² m1_i / V_ti
//     θ       = Q(f∘β)
//     var_i   = Σ_t p_t (τ_t² − (τ_t² m1_i)²/V_ti) + Σ_t p_t (τ_t² m1_i β_i/V_ti)² − (f_i β_i)²
//
// The posterior variance of θ_k is Σ_i Q_ki²·var_i: the eigen-coordinates count as
// uncorrelated. Needs |y| ≤ 1 and ‖x‖ ≤ 1, or a θ of order 1: s² and the range of
// τ² are on that scale. Finite for every sum that validate() lets through.
[[nodiscard]] Result<Estimate> noise_aware(const NoisySums& sums);

}  // namespace sotto
