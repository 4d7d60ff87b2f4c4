#pragma once

#include "base/integer.h"
#include "base/result.h"

namespace sotto {

// The public grid {k·2^log2_step : k ∈ ℤ} on which values stand before noise is
// added. A power of two, so that a double goes on it and comes back exactly.
struct Grid {
  int log2_step = 0;

  // The finest grid that is still negligible beside a sensitivity of Δ:
  // step ≤ Δ·2^−40. Rounding to it can lengthen a change of Δ by one step at
  // most, which the calibration adds to Δ.
  [[nodiscard]] static Grid for_sensitivity(double sensitivity);

  [[nodiscard]] Rational step() const { return power_of_two(log2_step); }

  // The grid index nearest to `value` (finite; halves go away from zero).
  [[nodiscard]] Integer index(double value) const;

  // index·step / divisor, as the nearest double.
  [[nodiscard]] double value(const Integer& index, const Integer& divisor = 1) const;
};

}  // namespace sotto
