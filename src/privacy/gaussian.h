#pragma once

#include "privacy/budget.h"

namespace sotto {

// The Gaussian mechanism, exactly [BW18, Theorem 8]. A release whose mean moves
// by s standard deviations is (ε, δ)-private iff δ ≥ κ_ε(s),
//
//     κ_ε(s) = Φ(s/2 − ε/s) − e^ε Φ(−s/2 − ε/s).
//
// The difference cancels; gaussian.cpp says how it is computed without that.
// Relative error below 1e-12 for ε ∈ [1e-3, 50] and κ ∈ [1e-15, 1].
// Proof: docs/proofs/gaussian.md.
[[nodiscard]] double gaussian_delta(double epsilon, double shift);

// κ̄_ε(δ): the inverse of κ_ε, the largest shift that (ε, δ) allows. Relative error below 1e-12.
[[nodiscard]] double gaussian_shift(const Budget& budget);
[[nodiscard]] double gaussian_shift(double epsilon, double delta);

// The smallest ε ≥ 0 with κ_ε(shift) ≤ δ; 0 where the total variation 2Φ(s/2) − 1 is at most δ.
[[nodiscard]] double gaussian_epsilon(double shift, double delta);

// σ = Δ / κ̄_ε(δ), rounded up so that floating point never overspends.
[[nodiscard]] double gaussian_sigma(Sensitivity sensitivity, const Budget& budget);

// x·(1 + 2⁻⁴⁰): more than every formula here loses in floating point. For noise
// scales, so that what is released is never less private than what is stated.
[[nodiscard]] double rounded_up(double value);

}  // namespace sotto
