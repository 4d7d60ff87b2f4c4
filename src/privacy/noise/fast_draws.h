#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/check.h"
#include "base/xoshiro.h"
#include "privacy/noise/exact_coins.h"

// What a simulation draws, in machine words and inline: fast_noise() gives these draws behind the
// interface of all noise, and the simulator's loops take them as they are. Never for real data.
namespace sotto::noise {

// Layer i is [0, x_i] × [f(x_i), f(x_{i+1})], f(x) = e^{−x²/2}; layer 0 is the
// base strip, whose x₀ = area/f(x₁) stands for the strip and the tail together.
struct Ziggurat {
  static constexpr int kLayers = 256;
  // Where the tail starts for 256 layers [Marsaglia, Tsang, "The Ziggurat Method", 2000].
  static constexpr double kTailStart = 3.6541528853610088;

  Ziggurat();
  std::array<double, kLayers + 1> x{};
  std::array<double, kLayers + 1> f{};
  // x_i beside x_{i+1}, for who looks up eight at a time.
  std::array<std::array<double, 2>, kLayers> ends{};
  // An enclosure of f over the wedge a = x_{i+1} < x < b = x_i, where a draw's height is
  // f(b) + u·(f(a) − f(b)): it is under f where u·(b − a) < curve − slack, and over it where
  // u·(b − a) > curve + slack, with curve = (b − x)·(1 + bend·(x − a)). {bend, slack}; layer 0 has
  // no wedge, and an infinite slack.
  std::array<std::array<double, 2>, kLayers> wedges{};
};

[[nodiscard]] const Ziggurat& ziggurat();

// Every z the ziggurat can give is below 16, so z·2⁵⁸ and z·σ fit a word for σ < 2⁵⁸.
inline constexpr int kSafeBits = 58;
inline constexpr int kLargestDrawLog2 = 4;

__extension__ using SignedWide = __int128;

// A standard deviation in steps, of up to 64 bits, with what every draw needs of it.
struct WordSigma {
  // From here on rounding a continuous draw is the discrete law to double
  // precision: their probabilities differ by (z² − 1)/(24σ²) in relative terms.
  static constexpr double kRoundingIsExactFrom = 0x1p30;

  WordSigma() = default;
  // Precondition: 0 ≤ sigma, at most 64 bits wide.
  explicit WordSigma(const Integer& steps)
      : sigma(steps.get_d()), tau_squared(sigma * sigma + sigma / 2), tau(std::sqrt(tau_squared)) {
    check(sgn(steps) >= 0 && bits(steps) <= 64, "a standard deviation in words");
    if (bits(steps) > kSafeBits) wide = steps.get_ui();
  }

  [[nodiscard]] static std::size_t bits(const Integer& steps) {
    return mpz_sizeinbase(steps.get_mpz_t(), 2);
  }
  [[nodiscard]] bool narrow() const { return wide == 0; }
  // Where it is not narrow: a draw from z as a fixed-point number, ⌊z·2⁵⁸⌉, rounded.
  [[nodiscard]] SignedWide times_fixed_point(std::int64_t z) const {
    const SignedWide product = SignedWide{z} * static_cast<SignedWide>(wide);
    return (product + (SignedWide{1} << (kSafeBits - 1))) >> kSafeBits;
  }

  double sigma = 0;
  double tau_squared = 0;  // of the proposal for the discrete law: σ² + σ/2
  double tau = 0;
  std::uint64_t wide = 0;  // σ itself where it has more than 58 bits
};

// std::lround without the call: halves go away from zero. |x| < 2⁶³.
[[nodiscard]] inline std::int64_t nearest_word(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  const double rest = x - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// Who draws what in a simulation: each has its own stream of the seed, which is set up from these
// numbers alone, so that no draw depends on another's, on a thread or on a rank.
enum class Draws : std::uint64_t { kNoise = 0, kKeys = 1 };
// Trials below 2²⁴. Parties from 2²² on have their upper bits above the trial's, so that a name is
// the sum of stream_of(trial, 0, …) and stream_of(0, party, …), where one purpose is 0.
[[nodiscard]] inline std::uint64_t stream_of(std::uint64_t trial, std::uint64_t party,
                                             Draws purpose) {
  constexpr std::uint64_t kLowParties = (std::uint64_t{1} << 22) - 1;
  return (party & ~kLowParties) << 26 | trial << 24 | (party & kLowParties) << 2 |
         static_cast<std::uint64_t>(purpose);
}

// One stream of a seed.
class FastDraws {
 public:
  FastDraws(std::uint64_t seed, std::uint64_t stream)
      : state_(base::xoshiro_state(seed, stream)), tables_(&ziggurat()) {}
  // A stream that goes on from where it stood.
  explicit FastDraws(const base::XoshiroState& state) : state_(state), tables_(&ziggurat()) {}
  [[nodiscard]] const base::XoshiroState& state() const { return state_; }

  [[nodiscard]] std::uint64_t bits64() { return base::xoshiro_next(state_); }

  // RandomSource::below.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    const auto width = std::bit_width(bound - 1);
    if (width == 0) return 0;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    for (;;) {
      const std::uint64_t draw = bits64() & mask;
      if (draw < bound) return draw;
    }
  }

  // Eight bits choose the layer, one the sign and 52 others the place: none is used twice.
  [[nodiscard]] double normal() {
    const Ziggurat& z = *tables_;
    const std::uint64_t bits = bits64();
    const std::size_t layer = bits & 0xff;
    const double x = place(bits) * z.x[layer];
    // 99 of 100 draws end here: the rest is kept out of the loops that this is inlined into. The
    // sign is put in as a bit, because a branch on it would be wrong every other time.
    if (x < z.x[layer + 1]) [[likely]]
      return with_sign(x, bits);
    return normal_beyond(bits);
  }

  // normal() whose first bits64() was drawn elsewhere.
  [[nodiscard]] double normal_from(std::uint64_t bits) { return normal_beyond(bits); }

  // N_ℤ(0, σ²) to double precision. Precondition: s.narrow().
  [[nodiscard]] std::int64_t gaussian(const WordSigma& s) {
    if (s.sigma >= WordSigma::kRoundingIsExactFrom) [[likely]] {
      return nearest_word(s.sigma * normal());
    }
    return s.sigma == 0 ? 0 : discrete_gaussian(s);
  }

  // The same for any σ: beyond 58 bits z is a fixed-point number times σ, rounded.
  [[nodiscard]] SignedWide wide_gaussian(const WordSigma& s) {
    if (s.narrow()) [[likely]]
      return gaussian(s);
    return s.times_fixed_point(fixed_point(normal()));
  }

  // ⌊z·2⁵⁸⌉
  [[nodiscard]] static std::int64_t fixed_point(double z) { return nearest_word(z * 0x1p58); }

 private:
  [[nodiscard]] static double place(std::uint64_t bits) {
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  }
  [[nodiscard]] static double with_sign(double x, std::uint64_t bits) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | (bits & 0x100) << 55);
  }
  // Uniform in (0, 1), in the middle of one of 2⁵² equal steps.
  [[nodiscard]] double unit() { return place(bits64()); }
  [[nodiscard]] double normal_beyond(std::uint64_t bits);
  [[nodiscard]] double normal_tail();
  [[nodiscard]] std::int64_t discrete_gaussian(const WordSigma& s);

  base::XoshiroState state_;
  const Ziggurat* tables_;
};

// P(k) ∝ exp(−|k|/scale) for |k| ≤ bound, by the exact sampler's decisions in words: the draws of
// exact_noise()'s truncated_laplace from the same bits.
class WordLaplace {
 public:
  // Whether all that a draw computes fits: ⌊126 bits⌋ for scale and bound.
  [[nodiscard]] static bool fits(const Rational& scale, const Integer& bound);
  // Precondition: fits(), scale > 0, bound ≥ 0.
  WordLaplace(const Rational& scale, const Integer& bound);

  [[nodiscard]] std::int64_t draw(FastDraws& draws) const;

 private:
  [[nodiscard]] std::int64_t from_uniform(FastDraws& draws) const;
  [[nodiscard]] std::int64_t by_cutting(FastDraws& draws) const;

  // scale = t/s
  Wide t_ = 1;
  Wide s_ = 1;
  Wide limit_ = 0;  // (bound + 1)·s
  std::int64_t bound_ = 0;
  bool flat_ = false;  // bound < scale
};

}  // namespace sotto::noise
