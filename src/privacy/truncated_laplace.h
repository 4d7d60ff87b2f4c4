#pragma once

#include "base/integer.h"
#include "privacy/budget.h"

// The noise of `gt` on A: bounded, so that the noisy problem can stay convex.
namespace sotto {

// Laplace noise cut off at ±γ̄: density ∝ e^{−|x|/b} on [−γ̄, γ̄], b = μ/ε.
// For a change of μ ≤ γ̄ it is (ε, δ)-private iff
//
//     δ ≥ (e^ε − 1) / (2(e^{εγ̄/μ} − 1)).          docs/proofs/truncated_laplace.md
class TruncatedLaplace {
 public:
  // Refuses γ̄ < μ.
  [[nodiscard]] static Result<TruncatedLaplace> make(Epsilon epsilon, Sensitivity mu,
                                                     double truncation);

  [[nodiscard]] double truncation() const { return truncation_; }
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] double variance() const;
  // δ at the ε it was made for.
  [[nodiscard]] double delta() const;
  // The whole privacy curve: the smallest δ for which this noise is (ε′, δ)-private.
  [[nodiscard]] double delta_at(double epsilon) const;
  // The smallest ε′ with delta_at(ε′) ≤ δ; infinity if there is none.
  [[nodiscard]] double epsilon_at(double delta) const;

 private:
  TruncatedLaplace(double epsilon, double mu, double truncation)
      : mu_(mu), scale_(mu / epsilon), truncation_(truncation) {}
  double mu_;
  double scale_;
  double truncation_;
};

// The smallest γ̄ (rounded up) for which noise made for (ε, μ) has δ as asked:
// γ̄ = (μ/ε)·ln(1 + (e^ε − 1)/(2δ)).
[[nodiscard]] double truncation_needed(const Budget& budget, Sensitivity mu);

// The same noise on the grid, as it is drawn: P(k) ∝ e^{−|k|/scale}, |k| ≤ bound.
struct GridLaplace {
  Rational scale;
  Integer bound;
  Integer shift;  // μ in grid steps, rounding included
  Grid grid;

  // Scale and bound grow with μ + step, so δ is never above the continuous
  // mechanism's: docs/proofs/discrete_truncated_laplace.md.
  [[nodiscard]] static GridLaplace make(Epsilon epsilon, Sensitivity mu, double truncation);

  // The largest |noise|, a hair above γ̄.
  [[nodiscard]] double largest() const { return grid.value(bound); }
};

}  // namespace sotto
