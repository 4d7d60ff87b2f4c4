#include "privacy/truncated_laplace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

// Closed forms of the law and of its privacy curve, written so that nothing cancels or overflows.
namespace sotto {

Result<TruncatedLaplace> TruncatedLaplace::make(Epsilon epsilon, Sensitivity mu,
                                                double truncation) {
  if (!std::isfinite(truncation) || truncation < mu.value()) {
    return bad_input(
        "E-truncation",
        fmt::format("noise cut off at {} cannot hide a change of {}", truncation, mu.value()),
        fmt::format("choose a finite truncation of at least mu = {}", mu.value()));
  }
  return TruncatedLaplace(epsilon.value(), mu.value(), truncation);
}

// With x = γ̄/b,
//
//     Var = b²·(2 − e^{−x}(x² + 2x + 2))/(1 − e^{−x})       paper, Section III
//         = γ̄²·2e^{−x}·(x/3! + x²/4! + …)/(1 − e^{−x}),
//
// the second where the first cancels. Between γ̄²/3 (x → 0) and 2b² (x → ∞).
double TruncatedLaplace::variance() const {
  constexpr double kSeriesBelow = 2;
  constexpr int kSeriesTerms = 30;
  const double x = truncation_ / scale_;
  const double mass = -std::expm1(-x);
  if (x >= kSeriesBelow) {
    // x²e^{−x} is 0 long before x² overflows.
    const double lost = x > 800 ? 0 : std::exp(-x) * (x * (x + 2) + 2);
    return scale_ * scale_ * (2 - lost) / mass;
  }
  double term = x / 6;
  double sum = 0;
  for (int k = 4; k < 4 + kSeriesTerms; ++k) {
    sum += term;
    term *= x / k;
  }
  return truncation_ * truncation_ * 2 * std::exp(-x) * sum / mass;
}

// (e^ε − 1)/(2(e^x − 1)), written so that neither exponential overflows.
double TruncatedLaplace::delta() const {
  return 0.5 * std::exp(-(truncation_ - mu_) / scale_) * std::expm1(-mu_ / scale_) /
         std::expm1(-truncation_ / scale_);
}

// For ε′ ≥ ε only the end that the other distribution cannot reach remains:
// δ(ε′) = δ(ε). Below it the likelihood ratio exceeds e^{ε′} up to (μ − ε′b)/2:
//
//     δ(ε′) = [2(1 − e^{−(ε−ε′)/2}) + e^{−x}(e^{ε′} − 1)] / (2(1 − e^{−x})).
double TruncatedLaplace::delta_at(double epsilon) const {
  check(epsilon >= 0, "ε′ is not negative");
  const double made_for = mu_ / scale_;
  if (epsilon >= made_for) return delta();
  const double x = truncation_ / scale_;
  const double unreached = std::exp(epsilon - x) - std::exp(-x);
  const double exceeding = -2 * std::expm1(-0.5 * (made_for - epsilon));
  return (exceeding + unreached) / (-2 * std::expm1(-x));
}

// delta_at is quadratic in v = e^{(ε′−ε)/2}: with w = e^{ε−x},
//
//     w·v² − 2v + k = 0,    k = 2 − e^{−x} − 2δ(1 − e^{−x}),
//
// and the root below 1 is k/(1 + √(1 − wk)).
double TruncatedLaplace::epsilon_at(double delta) const {
  if (!(delta >= this->delta())) return std::numeric_limits<double>::infinity();
  if (delta >= delta_at(0)) return 0;
  const double x = truncation_ / scale_;
  const double w = std::exp(-(truncation_ - mu_) / scale_);
  const double k = 2 - std::exp(-x) + 2 * delta * std::expm1(-x);
  const double v = k / (1 + std::sqrt(std::max(0.0, 1 - w * k)));
  const double made_for = mu_ / scale_;
  return std::clamp(made_for + 2 * std::log(v), 0.0, made_for);
}

double truncation_needed(const Budget& budget, Sensitivity mu) {
  constexpr double kOneIsLostAbove = 40;
  const double epsilon = budget.epsilon.value();
  const double delta = budget.delta.value();
  const double scale = mu.value() / epsilon;
  // ln((e^ε − 1)/(2δ)), which never overflows.
  const double log_ratio = epsilon + std::log(-std::expm1(-epsilon)) - std::log(2 * delta);
  const double x = log_ratio > kOneIsLostAbove ? log_ratio : std::log1p(std::exp(log_ratio));
  // A δ above ½ would allow γ̄ < μ, where the formula no longer holds.
  return std::max(mu.value(), rounded_up(scale * x));
}

GridLaplace GridLaplace::make(Epsilon epsilon, Sensitivity mu, double truncation) {
  const Grid grid = Grid::for_sensitivity(mu.value());
  const Rational exact(mu.value());
  const Integer shift = ceiling((exact + grid.step()) / grid.step());
  // Same ratio bound/scale = εγ̄/μ as the continuous mechanism, or a hair more.
  const Rational scale = Rational(shift) / Rational(epsilon.value());
  const Integer bound = ceiling(Rational(truncation) * Rational(shift) / exact);
  return {.scale = scale, .bound = bound, .shift = shift, .grid = grid};
}

}  // namespace sotto
