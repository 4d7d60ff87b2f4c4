#pragma once

#include "base/result.h"

// What may be learned about one person, (ε, δ), how far one person moves what is released, Δ, and
// the Gaussian mechanism, which makes noise of them. Everything else in this room stands on it.
namespace sotto {

// Privacy-loss bound ε. Invariant: finite and positive.
// No arithmetic on purpose: only the accountant composes budgets.
class Epsilon {
 public:
  [[nodiscard]] static Result<Epsilon> make(double value);
  [[nodiscard]] double value() const { return value_; }

 private:
  explicit Epsilon(double value) : value_(value) {}
  double value_;
};

// The probability δ with which ε may be exceeded. Invariant: 0 < δ < 1.
class Delta {
 public:
  [[nodiscard]] static Result<Delta> make(double value);
  [[nodiscard]] double value() const { return value_; }

 private:
  explicit Delta(double value) : value_(value) {}
  double value_;
};

struct Budget {
  Epsilon epsilon;
  Delta delta;
  [[nodiscard]] static Result<Budget> make(double epsilon, double delta);
};

// How far one person's change can move what is released, in Euclidean length:
// μ for one entry of θ, Δ for a row. Invariant: finite and positive.
class Sensitivity {
 public:
  [[nodiscard]] static Result<Sensitivity> make(double value);
  [[nodiscard]] double value() const { return value_; }

 private:
  explicit Sensitivity(double value) : value_(value) {}
  double value_;
};

// The Gaussian mechanism, exactly [BW18, Theorem 8]. A release whose mean moves
// by s standard deviations is (ε, δ)-private iff δ ≥ κ_ε(s),
//
//     κ_ε(s) = Φ(s/2 − ε/s) − e^ε Φ(−s/2 − ε/s).
//
// The difference cancels; budget.cpp says how it is computed without that.
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
