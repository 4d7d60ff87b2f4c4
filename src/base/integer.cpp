#include "base/integer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.h"

namespace sotto {

Integer ceiling(const Rational& value) {
  Integer result;
  mpz_cdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

Integer floor(const Rational& value) {
  Integer result;
  mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

Integer ceiling_sqrt(const Rational& value) {
  check(sgn(value) >= 0, "a square root's argument is not negative");
  const Integer whole = ceiling(value);  // s² ≥ value iff s² ≥ ⌈value⌉, s² being an integer
  Integer root = sqrt(whole);
  if (root * root < whole) ++root;
  return root;
}

double nearest_double(const Rational& value) {
  if (sgn(value) == 0) return 0.0;
  const auto num_bits = static_cast<long>(mpz_sizeinbase(value.get_num_mpz_t(), 2));
  const auto den_bits = static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
  const long shift = 62 - (num_bits - den_bits);
  if (shift > 1200) return sgn(value) * 0.0;
  if (shift < -1200) return sgn(value) * std::numeric_limits<double>::infinity();
  // |value| = (quotient + something below 1)·2^−shift, quotient of 62 or 63 bits. Its last
  // bit is made sticky: it lies below half a unit of the result, and says whether
  // anything was thrown away.
  Integer num = abs(value.get_num());
  Integer den = value.get_den();
  if (shift >= 0) {
    mpz_mul_2exp(num.get_mpz_t(), num.get_mpz_t(), static_cast<mp_bitcnt_t>(shift));
  } else {
    mpz_mul_2exp(den.get_mpz_t(), den.get_mpz_t(), static_cast<mp_bitcnt_t>(-shift));
  }
  Integer whole;
  Integer rest;
  mpz_tdiv_qr(whole.get_mpz_t(), rest.get_mpz_t(), num.get_mpz_t(), den.get_mpz_t());
  const std::uint64_t quotient = whole.get_ui() | (sgn(rest) != 0 ? 1 : 0);
  // One rounding, halves to even: to 53 bits, or to the last place 2^−1074 that a
  // subnormal double has.
  const long drop = std::max({static_cast<long>(std::bit_width(quotient)) - 53, shift - 1074, 1L});
  if (drop >= 64) return sgn(value) * 0.0;
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t dropped = quotient & (2 * half - 1);
  std::uint64_t mantissa = quotient >> drop;
  if (dropped > half || (dropped == half && mantissa % 2 == 1)) ++mantissa;
  return sgn(value) * std::ldexp(static_cast<double>(mantissa), static_cast<int>(drop - shift));
}

double log10(const Rational& value) {
  check(sgn(value) > 0, "a logarithm's argument is positive");
  long num_exponent = 0;
  long den_exponent = 0;
  const double num = mpz_get_d_2exp(&num_exponent, value.get_num_mpz_t());
  const double den = mpz_get_d_2exp(&den_exponent, value.get_den_mpz_t());
  return std::log10(num / den) + static_cast<double>(num_exponent - den_exponent) * std::log10(2.0);
}

Rational power_of_two(int exponent) {
  Rational result(1);
  if (exponent >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

}  // namespace sotto
