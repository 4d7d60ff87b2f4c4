#pragma once

#include <optional>

#include "privacy/calibrate/noise.h"

// The noise of `gt`, and what of the problem survives it: whether the noisy costs still have a
// lowest point, and how far from the true one (the paper's Theorem 1).
namespace sotto {

// σ_η = μ/κ̄_ε(δ), and the truncation given, or the smallest that has δ. Checks
// nothing against δ: for those who want to see what a setting is worth.
[[nodiscard]] Result<GradientNoise> gradient_noise(Sensitivity mu, const Budget& budget,
                                                   std::optional<double> truncation);

// The same, and refuses a truncation whose δ is larger than the budget's: E-gt-truncation.
[[nodiscard]] Result<GradientNoise> calibrate_gradient(Sensitivity mu, const Budget& budget,
                                                       std::optional<double> truncation);

// Which promise is made about A + Ω staying positive definite (docs/FINDINGS.md, 2).
enum class Convexity {
  kCertain,  // n·m·γ̄ < λ_A: no draw can break it
  kPaper,    // √n·m·γ̄ < λ_A, the paper's condition, under which some draws do
};

// d of Theorem 1: the bound on ‖Ω‖ over λ_A. Below 1 iff the condition holds.
[[nodiscard]] double convexity_margin(const GradientNoise& noise, std::size_t parties,
                                      std::size_t dimension, double lambda_min, Convexity promise);

// With how many parties the condition ends while ΣA_i keeps its λ_A: the largest n that it holds
// for. 0 where one party's noise is too much.
[[nodiscard]] double most_parties(const GradientNoise& noise, std::size_t dimension,
                                  double lambda_min, Convexity promise);

// Refuses noise that breaks the condition: E-gt-convexity, with the truncation
// and the number of parties that would do.
[[nodiscard]] Result<void> require_convexity(const GradientNoise& noise, std::size_t parties,
                                             std::size_t dimension, double lambda_min,
                                             Convexity promise);

// Refuses a budget that no truncation keeps together with the condition: δ wants it above what the
// condition allows. E-gt-convexity, with the λ_min, ε or δ that would do.
[[nodiscard]] Result<void> require_some_truncation(Sensitivity mu, const Budget& budget,
                                                   std::size_t parties, std::size_t dimension,
                                                   double lambda_min, Convexity promise);

// An upper bound on P(A + Ω is not positive definite). 0 where n·m·γ̄ < λ_A, else
// the matrix Bernstein inequality [Tropp 2012, Theorem 6.1] for Ω = Σ_i F⁻¹(γ_i):
//
//     m·exp(−(λ_A²/2) / (n·m·σ_γ² + m·γ̄·λ_A/3)).         docs/proofs/gradient_tracking.md
[[nodiscard]] double nonconvex_probability(const GradientNoise& noise, std::size_t parties,
                                           std::size_t dimension, double lambda_min);

// Theorem 1(iii): E‖x(∞) − x*‖² ≤ (2nm²σ_γ²‖x*‖² + 2nmσ_η²) / ((1−d)²λ_A²), for d < 1.
[[nodiscard]] double theorem1_bound(const GradientNoise& noise, std::size_t parties,
                                    std::size_t dimension, double lambda_min, double solution_norm,
                                    Convexity promise);

}  // namespace sotto
