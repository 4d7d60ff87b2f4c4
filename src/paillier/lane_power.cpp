#include "paillier/lane_power.h"

#include <algorithm>

#include "base/check.h"

namespace sotto {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kMaxWindow = 6;

}  // namespace

LaneExponents::LaneExponents(std::span<const Integer> exponents, std::size_t bits)
    : bits_(bits), words_(bits / kWordBits + 1), exponents_(kLanes * words_) {
  check(exponents.size() <= kLanes, "a lane has one exponent");
  for (std::size_t lane = 0; lane < exponents.size(); ++lane) {
    const Integer& exponent = exponents[lane];
    check(exponent >= 0 && (exponent == 0 || mpz_sizeinbase(exponent.get_mpz_t(), 2) <= bits),
          "an exponent has at most as many bits as said");
    std::copy_n(mpz_limbs_read(exponent.get_mpz_t()), mpz_size(exponent.get_mpz_t()),
                exponents_.data() + lane * words_);
  }
}

Vector8 LaneExponents::digits(std::size_t first, std::size_t stride, std::size_t count) const {
  Vector8 digits{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bit = first + i * stride;
    if (bit >= bits_) break;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t word = exponents_[lane * words_ + bit / kWordBits];
      digits.lane[lane] |= (word >> (bit % kWordBits) & 1U) << i;
    }
  }
  return digits;
}

std::size_t window_bits(std::size_t exponent_bits, std::size_t limbs) {
  std::size_t best = 1;
  std::size_t least = 0;
  for (std::size_t window = 1; window <= kMaxWindow; ++window) {
    const std::size_t entries = std::size_t{1} << window;
    const std::size_t windows = (exponent_bits + window - 1) / window;
    const std::size_t table = (entries - 2) * 17 * limbs / 2;  // half squares, half products
    const std::size_t cost = table + windows * (10 * limbs + 2 * entries);
    if (window == 1 || cost < least) {
      best = window;
      least = cost;
    }
  }
  return best;
}

void lane_power(const LaneArithmetic& arithmetic, const PairModulus& modulus, std::size_t lanes,
                Vector8* power, const Vector8* base, const LaneExponents& exponents) {
  const std::size_t pair = modulus.pair_size();
  if (exponents.bits() == 0) {
    std::copy_n(modulus.one(), pair, power);
    return;
  }

  const std::size_t window = window_bits(exponents.bits(), modulus.limbs());
  const std::size_t entries = std::size_t{1} << window;
  const LaneModulus view = modulus.view(lanes);
  Vectors scratch(modulus.scratch_size());
  Vectors chosen(pair);
  Vectors table(entries * pair);  // base⁰, base¹, …
  std::copy_n(modulus.one(), pair, table.at(0));
  std::copy_n(base, pair, table.at(pair));
  for (std::size_t i = 2; i < entries; ++i) {
    if (i % 2 == 0) {
      arithmetic.square(view, table.at(i * pair), table.at(i / 2 * pair), scratch.at(0));
    } else {
      arithmetic.multiply(view, table.at(i * pair), table.at((i - 1) * pair), base, scratch.at(0));
    }
  }

  for (std::size_t left = (exponents.bits() + window - 1) / window; left-- > 0;) {
    Vector8 digits = exponents.digits(left * window, 1, window);
    const bool first = (left + 1) * window >= exponents.bits();
    if (first) {
      arithmetic.select(view, power, table.at(0), entries, digits);
    } else {
      for (std::size_t i = 0; i < window; ++i) {
        arithmetic.square(view, power, power, scratch.at(0));
      }
      arithmetic.select(view, chosen.at(0), table.at(0), entries, digits);
      arithmetic.multiply(view, power, power, chosen.at(0), scratch.at(0));
    }
    wipe_memory(&digits, sizeof digits);
  }
}

}  // namespace sotto
