// The rarer branches of what a simulation draws, and the truncated Laplace law in 128-bit words.
// Integers and comparisons are the same everywhere; exp, log and erfc come from the C library,
// whose last bit may differ between platforms, and with it a Gaussian draw by 2⁻⁵² of its size.
// Multiplications are not fused (-ffp-contract=off), for the same reason.
#include "privacy/noise/fast_draws.h"

#include <algorithm>
#include <limits>
#include <numbers>

namespace sotto::noise {
namespace {

[[nodiscard]] std::size_t width_of(Wide value) {
  const auto high = static_cast<Word>(value >> 64);
  return high != 0 ? 64 + static_cast<std::size_t>(std::bit_width(high))
                   : static_cast<std::size_t>(std::bit_width(static_cast<Word>(value)));
}

[[nodiscard]] Integer integer_of(Wide value) {
  return (Integer(static_cast<unsigned long>(value >> 64)) << 64) +
         static_cast<unsigned long>(value);
}

[[nodiscard]] Wide wide_of(const Integer& value) {
  return Wide{mpz_getlimbn(value.get_mpz_t(), 1)} << 64 | mpz_getlimbn(value.get_mpz_t(), 0);
}

[[nodiscard]] std::size_t excess_of(Wide value) {
  const std::size_t width = width_of(value);
  return width > kDigitBits ? width - kDigitBits : 0;
}

[[nodiscard]] Rational ratio_of(Wide numerator, Wide denominator) {
  Rational result(integer_of(numerator), integer_of(denominator));
  result.canonicalize();
  return result;
}

// LazyUniform of noise_exact.cpp for bounds of up to 126 bits: the same bits, drawn at the same
// time.
class WideUniform {
 public:
  WideUniform(Wide bound, FastDraws& draws)
      : bound_(bound),
        draws_(draws),
        shift_(excess_of(bound)),
        bound_lead_(static_cast<Word>(bound >> shift_)) {}

  void draw() {
    for (;;) {
      complete_ = false;
      lead_ = draws_.below(shift_ == 0 ? bound_lead_ : bound_lead_ + 1);
      if (lead_ < bound_lead_ || value() < bound_) return;
    }
  }

  [[nodiscard]] Wide value() {
    if (!complete_) {
      value_ = Wide{lead_} << shift_;
      if (shift_ > 0) value_ |= draws_.bits64() >> (64 - shift_);
      complete_ = true;
    }
    return value_;
  }

  [[nodiscard]] Enclosure enclosure() const {
    return enclose_ratio(lead_, bound_lead_, shift_ > 0);
  }
  [[nodiscard]] Rational exactly() { return ratio_of(value(), bound_); }

 private:
  Wide bound_;
  FastDraws& draws_;
  std::size_t shift_;  // below 64
  Word bound_lead_;
  Word lead_ = 0;
  Wide value_ = 0;
  bool complete_ = false;
};

}  // namespace

Ziggurat::Ziggurat() {
  const auto density = [](double at) { return std::exp(-0.5 * at * at); };
  // The base strip's area, which is every layer's: r·f(r) + ∫ᵣ^∞ f.
  const double area = kTailStart * density(kTailStart) +
                      std::sqrt(std::numbers::pi / 2) * std::erfc(kTailStart / std::sqrt(2.0));
  x[0] = area / density(kTailStart);
  x[1] = kTailStart;
  for (std::size_t i = 1; i + 1 < kLayers; ++i) {
    x[i + 1] = std::sqrt(-2 * std::log(area / x[i] + density(x[i])));
  }
  x[kLayers] = 0;
  for (std::size_t i = 0; i <= kLayers; ++i) f[i] = density(x[i]);
  for (std::size_t i = 0; i < kLayers; ++i) ends[i] = {x[i], x[i + 1]};
  // With c = −f''(middle)/2, f less its chord and c·(x − a)(b − x) is 0 at both ends, and its
  // second derivative at most |f'''|·(b − a)/2, f''' = (3x − x³)·f: so it is below (b −
  // a)³/16·|f'''|. Both in units of (f(a) − f(b))/(b − a), as u·(b − a) is. 2⁻³⁰ is far above all
  // rounding.
  wedges[0] = {0, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 1; i < kLayers; ++i) {
    const auto [b, a] = ends[i];
    const double unit = (b - a) / (f[i + 1] - f[i]);
    const double middle = (a + b) / 2;
    const double third = (b < 1 ? 3 * b : std::max(2.0, b * b * b - 3 * b)) * f[i + 1];
    wedges[i] = {(1 - middle * middle) * density(middle) / 2 * unit,
                 std::pow(b - a, 3) / 16 * third * unit + 0x1p-30};
  }
}

const Ziggurat& ziggurat() {
  static const Ziggurat tables;
  return tables;
}

// What is left of normal() where the first comparison has failed for `bits`.
double FastDraws::normal_beyond(std::uint64_t bits) {
  const Ziggurat& z = *tables_;
  for (;;) {
    const std::size_t layer = bits & 0xff;
    const double x = place(bits) * z.x[layer];
    if (x < z.x[layer + 1]) return with_sign(x, bits);
    if (layer == 0) return with_sign(normal_tail(), bits);
    const double height = z.f[layer] + unit() * (z.f[layer + 1] - z.f[layer]);
    if (height < std::exp(-0.5 * x * x)) return with_sign(x, bits);
    bits = bits64();
  }
}

// |Z| given |Z| > kTailStart [Marsaglia 1964].
double FastDraws::normal_tail() {
  for (;;) {
    const double beyond = -std::log(unit()) / Ziggurat::kTailStart;
    if (-2 * std::log(unit()) > beyond * beyond) return Ziggurat::kTailStart + beyond;
  }
}

// The discrete Gaussian itself, not a rounded normal, whose variance is too
// large by 1/12. Proposal: k = round(x), x normal with variance τ² = σ² + σ/2;
// kept with probability exp(x²/(2τ²) − k²/(2σ²) − m), where
//
//     m = max_k ((|k| + ½)²/(2τ²) − k²/(2σ²)) = 1/(8(τ² − σ²)) = 1/(4σ).
std::int64_t FastDraws::discrete_gaussian(const WordSigma& s) {
  for (;;) {
    const double x = s.tau * normal();
    const double k = std::round(x);
    const double exponent =
        x * x / (2 * s.tau_squared) - k * k / (2 * s.sigma * s.sigma) - 1 / (4 * s.sigma);
    const double height = unit();
    if (height < 1 + exponent || height < std::exp(exponent)) return std::lround(k);
  }
}

bool WordLaplace::fits(const Rational& scale, const Integer& bound) {
  const auto bits = [](const Integer& value) { return mpz_sizeinbase(value.get_mpz_t(), 2); };
  // (bound + 1)·s is the largest number that is kept; t alone may not be wider. bound + 1 outcomes
  // on each side stay below 2⁶³.
  return bits(bound) < 62 && bits(Integer((bound + 1) * scale.get_den())) <= 126 &&
         bits(scale.get_num()) <= 120 && bits(scale.get_den()) <= 120;
}

WordLaplace::WordLaplace(const Rational& scale, const Integer& bound)
    : t_(wide_of(scale.get_num())),
      s_(wide_of(scale.get_den())),
      limit_(wide_of((bound + 1) * scale.get_den())),
      bound_(bound.get_si()),
      flat_(bound < scale) {
  check(fits(scale, bound) && sgn(scale) > 0 && sgn(bound) >= 0, "a law that fits into words");
}

std::int64_t WordLaplace::draw(FastDraws& draws) const {
  if (bound_ == 0) return 0;
  return flat_ ? from_uniform(draws) : by_cutting(draws);
}

std::int64_t WordLaplace::from_uniform(FastDraws& draws) const {
  ExactCoins coins(draws);
  const std::size_t shift = excess_of(t_);
  const auto t_lead = static_cast<Word>(t_ >> shift);
  const Word outcomes = 2 * static_cast<Word>(bound_) + 1;
  for (;;) {
    const std::int64_t k = static_cast<std::int64_t>(draws.below(outcomes)) - bound_;
    const Wide a = static_cast<Wide>(k < 0 ? -k : k) * s_;
    const Enclosure x = enclose_ratio(static_cast<Word>(a >> shift), t_lead, shift > 0);
    if (coins.exp_coin(x, [&] { return ratio_of(a, t_); })) return k;
  }
}

std::int64_t WordLaplace::by_cutting(FastDraws& draws) const {
  ExactCoins coins(draws);
  WideUniform u(t_, draws);
  for (;;) {
    const Word v = coins.geometric_laplace(u);
    // t·v can pass 128 bits only where it is past the limit by far.
    const Wide low = u.value();
    if (v > limit_ / t_) continue;
    const Wide x = low + t_ * v;
    if (x >= limit_) continue;
    const auto magnitude = static_cast<std::int64_t>(x / s_);
    const bool negative = coins.negative();
    if (negative && magnitude == 0) continue;
    return negative ? -magnitude : magnitude;
  }
}

}  // namespace sotto::noise
