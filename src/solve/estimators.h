#pragma once

#include <string_view>

#include "base/result.h"
#include "solve/estimate.h"
#include "solve/noisy_sums.h"

namespace sotto {

// How θ is made from noisy sums: [solve] estimator = "…" in a study. None of
// them ever asks for a second run: that would spend the budget twice.
enum class Estimator {
  kNoiseAware,  // noise_aware.h
  kExact,       // Âθ = b̂, the paper
  kPsdRidge,    // (Â₊ + σ√d·I)θ = b̂
  kAdassp,      // (Â₊ + λI)θ = b̂, λ after Wang 2018 (adassp.h)
};

[[nodiscard]] std::string_view to_string(Estimator estimator);

// E-solve-estimator for a name that is none of "noise-aware", "exact", "psd-ridge", "adassp".
[[nodiscard]] Result<Estimator> estimator_from_name(std::string_view name);

// E-solve-sums for sums that validate() refuses, and no other error.
[[nodiscard]] Result<Estimate> estimate(Estimator estimator, const NoisySums& sums);

// θ = Â⁻¹b̂. Where Â is singular to working precision, the solution of least norm,
// with a warning; a warning too where Â has a negative eigenvalue, since θ is
// then a saddle point of the noisy objective and not its minimum.
[[nodiscard]] Result<Estimate> exact_solution(const NoisySums& sums);

// θ = (Â₊ + λI)⁻¹b̂, λ = σ√d, with Â₊ the nearest positive semidefinite matrix
// and σ the sums' invariant_sigma().
[[nodiscard]] Result<Estimate> psd_ridge(const NoisySums& sums);

}  // namespace sotto
