#pragma once

#include "base/result.h"

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

}  // namespace sotto
