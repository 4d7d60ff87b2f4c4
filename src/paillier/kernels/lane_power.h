#pragma once

#include "paillier/kernels/lane_modulus.h"

// Exponentiation in lanes, in a time and with memory accesses that depend on sizes only.
namespace sotto::paillier {

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

// Powers of one base h from a table (Lim and Lee's comb). The exponent's bits are written
// in w rows of a columns, e = Σ_{i<w, j<a} bit(i·a + j)·2^(i·a+j). A column's w bits, read
// as a digit u, ask for the power Πᵢ h^(uᵢ·2^(i·a)): with a table of these 2^w powers, e
// takes a products and a−1 squares.
//
// Eight such tables, for h^(2^(s·c)), s < 8, c = ⌈a/8⌉, make c−1 squares of them: the
// columns are cut into eight runs that are squared together. Eight, because the tables can
// then be made in the eight lanes at once. At 2048 bits (1024 of the exponent) w is 7 and
// the tables take 650 kB. One window table for each digit would save the 18 squares among
// 147 products, and take 12 MB, too many to read for every eight numbers.
class CombTable {
 public:
  CombTable(const LaneArithmetic& arithmetic, const PairModulus& modulus, const Integer& base,
            std::size_t exponent_bits);

  // power = base^exponent in each of the first `lanes` lanes.
  void power(Vector8* power, std::size_t lanes, const LaneExponents& exponents) const;

  [[nodiscard]] std::size_t exponent_bits() const { return exponent_bits_; }

 private:
  static constexpr std::size_t kTables = kLanes;

  [[nodiscard]] const Vector8* table(std::size_t s) const;

  const LaneArithmetic& arithmetic_;
  const PairModulus& modulus_;
  std::size_t exponent_bits_;
  std::size_t rows_;     // w
  std::size_t columns_;  // a
  std::size_t run_;      // c
  Vectors tables_;       // s, octet of entries, limb: see LaneArithmetic::select_shared
};

}  // namespace sotto::paillier
