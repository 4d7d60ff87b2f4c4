#pragma once

#include <gmpxx.h>

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

}  // namespace sotto
