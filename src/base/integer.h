#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// Where privacy lives, numbers are integers without a limit; where a formula
// needs a fraction, it is exact.
using Integer = mpz_class;
using Rational = mpq_class;
using IntegerVector = std::vector<Integer>;

// The smallest integer that is not below `value`.
[[nodiscard]] Integer ceiling(const Rational& value);

// The largest integer that is not above `value`.
[[nodiscard]] Integer floor(const Rational& value);

// The smallest integer s with s² ≥ value. `value` is not negative.
[[nodiscard]] Integer ceiling_sqrt(const Rational& value);

// The double nearest to `value` (GMP's own conversion truncates). Overflows to ±infinity.
[[nodiscard]] double nearest_double(const Rational& value);

// log10 of a positive number of any size; its absolute error is below 1e-14·(1 + |result|).
[[nodiscard]] double log10(const Rational& value);

// 2^exponent, exactly.
[[nodiscard]] Rational power_of_two(int exponent);

// Sign and magnitude, the shortest way: the form that travels and is hashed.
[[nodiscard]] std::string integer_bytes(const Integer& integer);
// None unless these are the bytes that integer_bytes gives.
[[nodiscard]] std::optional<Integer> integer_from(std::string_view bytes);

// An integer in the one way that sotto and databases write it: digits, without needless zeros, and
// a minus before them if it is below 0. None for anything else, "+5" and "-0" included. GMP itself
// reads over blanks inside a number, and no further than a NUL.
[[nodiscard]] std::optional<Integer> integer_from_decimal(const std::string& text);

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
