#pragma once

#include "base/grid.h"
#include "base/integer.h"
#include "privacy/budget.h"

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
  TruncatedLaplace(double epsilon, double mu, double truncation);
  double mu_;
  double scale_;
  double truncation_;
};

// The smallest γ̄ (rounded up) for which noise made for (ε, μ) has δ as asked:
// γ̄ = (μ/ε)·ln(1 + (e^ε − 1)/(2δ)).
[[nodiscard]] double truncation_needed(const Budget& budget, Sensitivity mu);

}  // namespace sotto
