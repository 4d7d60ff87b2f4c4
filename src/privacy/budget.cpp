#include "privacy/budget.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto {

Result<Epsilon> Epsilon::make(double value) {
  if (std::isfinite(value) && value > 0) return Epsilon(value);
  return bad_input("E-epsilon", fmt::format("ε = {} is not a privacy-loss bound", value),
                   "ε is a finite number above 0, for example 1.0");
}

Result<Delta> Delta::make(double value) {
  if (value > 0 && value < 1) return Delta(value);
  return bad_input("E-delta", fmt::format("δ = {} is not a probability to live with", value),
                   "δ lies strictly between 0 and 1 and well below 1/rows, for example 1e-6");
}

Result<Budget> Budget::make(double epsilon, double delta) {
  auto checked_epsilon = Epsilon::make(epsilon);
  if (!checked_epsilon) return tl::unexpected(checked_epsilon.error());
  auto checked_delta = Delta::make(delta);
  if (!checked_delta) return tl::unexpected(checked_delta.error());
  return Budget{.epsilon = *checked_epsilon, .delta = *checked_delta};
}

Result<Sensitivity> Sensitivity::make(double value) {
  if (std::isfinite(value) && value > 0) return Sensitivity(value);
  return bad_input("E-sensitivity",
                   fmt::format("{} is not a distance that one change can move a release", value),
                   "the sensitivity (mu) is a finite number above 0, for example 3.0");
}

}  // namespace sotto
