#pragma once

#include <cstddef>
#include <span>

#include "base/integer.h"
#include "paillier/lane_arithmetic.h"
#include "paillier/lane_modulus.h"

namespace sotto {

// The bits of up to eight secret exponents, one for each lane; lanes without one have 0.
class LaneExponents {
 public:
  LaneExponents(std::span<const Integer> exponents, std::size_t bits);

  [[nodiscard]] std::size_t bits() const { return bits_; }

  // Σ_{i<count} bit(first + i·stride)·2^i in each lane; bits beyond the last are 0.
  [[nodiscard]] Vector8 digits(std::size_t first, std::size_t stride, std::size_t count) const;

 private:
  std::size_t bits_;
  std::size_t words_;
  Limbs exponents_;  // kLanes × words_
};

// power = base^exponent in each lane, all in Montgomery form, by fixed windows. Which
// operations are done and which memory is touched depends on the number of bits only.
// `power` may be `base`. The first `lanes` lanes are in use.
void lane_power(const LaneArithmetic& arithmetic, const PairModulus& modulus, std::size_t lanes,
                Vector8* power, const Vector8* base, const LaneExponents& exponents);

// The window with the fewest instructions: a table of 2^w powers, then per window w squares
// (7L² each, the same for every w), one product (10L²) and one scan (2^w·2L).
[[nodiscard]] std::size_t window_bits(std::size_t exponent_bits, std::size_t limbs);

}  // namespace sotto
