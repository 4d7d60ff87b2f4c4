#pragma once

#include <optional>

#include "base/named_settings.h"
#include "solve/noisy_sums.h"

namespace sotto {

// What an estimator makes of noisy sums. θ is always finite.
struct Estimate {
  Eigen::VectorXd theta;
  std::vector<std::string> warnings;                  // whole sentences, for people
  std::optional<Eigen::VectorXd> posterior_variance;  // noise-aware only
  std::optional<double> ridge;                        // psd-ridge and adassp: the λ that was added
  Eigen::Index dropped = 0;  // directions in which the sums are singular; θ is the shortest
};

// How θ is made from noisy sums: [solve] estimator = "…" in a study. None of
// them ever asks for a second run: that would spend the budget twice. What programs add gets the
// numbers after the last (estimator_table.h).
enum class Estimator {
  kNoiseAware,  // noise_aware() below
  kExact,       // Âθ = b̂, the paper
  kPsdRidge,    // (Â₊ + σ√d·I)θ = b̂
  kAdassp,      // (Â₊ + λI)θ = b̂, λ after Wang 2018
  kRidge,       // ridge() below, with a λ that somebody has chosen; of refits alone, as the next
  kTwoStage,    // two_stage() in fit.h, with instruments
};

[[nodiscard]] std::string_view to_string(Estimator estimator);

// E-solve-estimator for a name that is none of the table's.
[[nodiscard]] Result<Estimator> estimator_from_name(std::string_view name);

// E-solve-sums for sums that validate() refuses, and of those that come along no other error. None
// of refits alone. `settings` are of an estimator with keys.
[[nodiscard]] Result<Estimate> estimate(Estimator estimator, const NoisySums& sums,
                                        const NamedSettings& settings = {});

// θ = Â⁻¹b̂. Where Â is singular to working precision, the solution of least norm,
// with a warning; a warning too where Â has a negative eigenvalue, since θ is
// then a saddle point of the noisy objective and not its minimum.
[[nodiscard]] Result<Estimate> exact_solution(const NoisySums& sums);

// θ = (Â₊ + λI)⁻¹b̂, λ = σ√d, with Â₊ the nearest positive semidefinite matrix
// and σ the sums' invariant_sigma().
[[nodiscard]] Result<Estimate> psd_ridge(const NoisySums& sums);

// θ = (Â + λD)₊⁻¹b̂, D = I but 0 for the intercept: what others call ridge regression.
[[nodiscard]] Result<Estimate> ridge(const NoisySums& sums, double lambda, bool intercept);

// AdaSSP (Wang 2018, Algorithm 2) from one release of (Â, b̂), no budget spent on λ_min apart:
//
//     bound = noise_bound(σ, d, 0.05)
//     λ̃_min = max(0, λ_min(Â) − bound)        (≤ λ_min(A), but for probability 0.05)
//     λ     = max(0, bound − λ̃_min)
//     θ     = (Â₊ + λI)⁻¹ b̂
//
// Â₊ is the nearest positive semidefinite matrix, so that θ is finite in the
// remaining cases too. Where λ_min(Â) ≥ 2·bound, λ = 0.
[[nodiscard]] Result<Estimate> adassp(const NoisySums& sums);

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

namespace solve {

// The chance that AdaSSP lets the noise outgrow its ridge.
inline constexpr double kAdasspFailure = 0.05;

// What ‖E‖'s one side stays below with probability 1 − ϱ:
//
//     P(λ_max(−E) > σ(√(2d) + √(2 ln(1/ϱ)))) ≤ ϱ
//
// for both noise shapes, σ their invariant_sigma(). Proof: docs/proofs/noise_aware.md.
[[nodiscard]] double noise_bound(double sigma, Eigen::Index d, double failure);

// θ = (Â₊ + λI)⁻¹b̂; the solution of least norm, with a warning, where that is singular.
[[nodiscard]] Estimate ridge_of_projection(const NoisySums& sums, const SpectrumOfSums& spectrum,
                                           double lambda);

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

}  // namespace solve
}  // namespace sotto
