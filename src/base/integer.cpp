#include "base/integer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.h"

// GMP's numbers, where its own conversions truncate or its names are C's.
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

std::string integer_bytes(const Integer& integer) {
  const int sign = sgn(integer);
  if (sign == 0) return {};
  const std::size_t size = (mpz_sizeinbase(integer.get_mpz_t(), 2) + 7) / 8;
  std::string bytes(1 + size, '\0');
  bytes[0] = static_cast<char>(sign < 0 ? 1 : 0);
  mpz_export(bytes.data() + 1, nullptr, 1, 1, 1, 0, integer.get_mpz_t());
  return bytes;
}

std::optional<Integer> integer_from_decimal(const std::string& text) {
  Integer value;
  if (value.set_str(text, 10) != 0 || value.get_str() != text) return std::nullopt;
  return value;
}

std::optional<Integer> integer_from(std::string_view bytes) {
  if (bytes.empty()) return Integer(0);
  if (bytes.size() < 2 || (bytes[0] != 0 && bytes[0] != 1) || bytes[1] == 0) return std::nullopt;
  Integer integer;
  mpz_import(integer.get_mpz_t(), bytes.size() - 1, 1, 1, 1, 0, bytes.data() + 1);
  if (bytes[0] == 1) integer = -integer;
  return integer;
}

Grid Grid::for_sensitivity(double sensitivity) {
  check(std::isfinite(sensitivity) && sensitivity > 0, "a sensitivity is finite and positive");
  return {std::ilogb(sensitivity) - 40};
}

Integer Grid::index(double value) const {
  check(std::isfinite(value), "what goes on the grid is finite");
  Rational scaled(value);
  scaled /= step();
  const Rational half(1, 2);
  return sgn(scaled) >= 0 ? floor(scaled + half) : ceiling(scaled - half);
}

double Grid::value(const Integer& index, const Integer& divisor) const {
  Rational exact(index, divisor);
  exact.canonicalize();
  return nearest_double(exact * step());
}

}  // namespace sotto
