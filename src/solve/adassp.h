#pragma once

#include <Eigen/Core>
#include <functional>

#include "base/result.h"
#include "solve/estimate.h"
#include "solve/noisy_sums.h"
#include "solve/spectrum_of_sums.h"

namespace sotto {

// AdaSSP (Wang 2018, Algorithm 2) in two forms: on sums that were released once,
// and as the central baseline it was published as.

// The chance that AdaSSP lets the noise outgrow its ridge.
inline constexpr double kAdasspFailure = 0.05;

// What ‖E‖'s one side stays below with probability 1 − ϱ:
//
//     P(λ_max(−E) > σ(√(2d) + √(2 ln(1/ϱ)))) ≤ ϱ
//
// for both noise shapes, σ their invariant_sigma(). Proof: docs/proofs/noise_aware.md.
[[nodiscard]] double noise_bound(double sigma, Eigen::Index d, double failure);

// AdaSSP's ridge from one release of (Â, b̂), no budget spent on λ_min apart:
//
//     bound = noise_bound(σ, d, 0.05)
//     λ̃_min = max(0, λ_min(Â) − bound)        (≤ λ_min(A), but for probability 0.05)
//     λ     = max(0, bound − λ̃_min)
//     θ     = (Â₊ + λI)⁻¹ b̂
//
// Â₊ is the nearest positive semidefinite matrix, so that θ is finite in the
// remaining cases too. Where λ_min(Â) ≥ 2·bound, λ = 0.
[[nodiscard]] Result<Estimate> adassp(const NoisySums& sums);

// θ = (Â₊ + λI)⁻¹b̂; the solution of least norm, with a warning, where that is singular.
[[nodiscard]] Estimate ridge_of_projection(const NoisySums& sums, const SpectrumOfSums& spectrum,
                                           double lambda);

// The noise of central AdaSSP, which releases λ_min, XᵀX and Xᵀy, each of L2
// sensitivity 1: rows have ‖x‖ ≤ 1, |y| ≤ 1, and neighbours differ by one row.
struct AdasspNoise {
  double sigma = 0;   // of each of the three releases
  double margin = 0;  // taken off the noisy λ_min

  // As published, a third of (ε, δ) for each release:
  // σ = √ln(6/δ)/(ε/3), margin = ln(6/δ)/(ε/3). Kept for comparison; that these
  // constants are private is the publication's claim and not ours.
  // E-adassp-budget unless ε > 0 and 0 < δ < 1.
  [[nodiscard]] static Result<AdasspNoise> published(double epsilon, double delta);

  // Tight: three Gaussian releases that move by 1/σ each are one that moves by
  // √3/σ, so σ = √3/κ̄ with `shift` = κ̄_ε(δ) (privacy/gaussian.h); margin = σ√ln(6/δ).
  // E-adassp-budget unless κ̄ > 0 and 0 < δ < 1.
  [[nodiscard]] static Result<AdasspNoise> tight(double shift, double delta);
};

// Wang's Algorithm 2 on the true sums, for comparisons only: it needs somebody
// who holds all data. `normal` draws from N(0, 1).
//
//     λ̃_min = max(0, λ_min + σZ − margin),  λ = max(0, σ√(d ln(2d²/ϱ)) − λ̃_min)
//     Â = XᵀX + σZ (upper triangle independent, mirrored),  b̂ = Xᵀy + σZ
//     θ = (Â + λI)⁻¹ b̂
//
// The sums must pass validate(); their own noise scales are not read.
[[nodiscard]] Result<Estimate> adassp_central(const NoisySums& true_sums, AdasspNoise noise,
                                              const std::function<double()>& normal);

}  // namespace sotto
