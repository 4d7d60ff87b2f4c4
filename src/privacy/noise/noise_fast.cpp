// Noise for simulations: xoshiro256++ and doubles. Integers and comparisons are
// the same everywhere; exp, log and erfc come from the C library, whose last
// bit may differ between platforms, and with it a Gaussian draw by 2⁻⁵² of its
// size. Multiplications are not fused (-ffp-contract=off), for the same reason.
#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "privacy/noise/noise.h"

namespace sotto {
namespace {

constexpr int kLayers = 256;
// Where the tail starts for 256 layers [Marsaglia, Tsang, "The Ziggurat Method", 2000].
constexpr double kTailStart = 3.6541528853610088;

// Layer i is [0, x_i] × [f(x_i), f(x_{i+1})], f(x) = e^{−x²/2}; layer 0 is the
// base strip, whose x₀ = area/f(x₁) stands for the strip and the tail together.
struct Ziggurat {
  std::array<double, kLayers + 1> x{};
  std::array<double, kLayers + 1> f{};

  Ziggurat() {
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
  }
};

const Ziggurat& ziggurat() {
  static const Ziggurat tables;
  return tables;
}

// From here on rounding a continuous draw is the discrete law to double
// precision: their probabilities differ by (z² − 1)/(24σ²) in relative terms.
constexpr double kRoundingIsExactFrom = 0x1p30;
// Every z the ziggurat can give is below 16, so z·2⁵⁸ and z·σ fit a word for σ < 2⁵⁸.
constexpr int kSafeBits = 58;

class FastNoise final : public NoiseSource {
 public:
  FastNoise(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}

  Integer gaussian(const Integer& sigma) override {
    check(sgn(sigma) >= 0, "a standard deviation is not negative");
    if (sgn(sigma) == 0) return 0;
    if (mpz_sizeinbase(sigma.get_mpz_t(), 2) <= kSafeBits) {
      const double s = sigma.get_d();
      return {std::lround(s < kRoundingIsExactFrom ? discrete_normal(s) : s * normal())};
    }
    // z as a fixed-point number times σ, rounded: σ may be as large as it likes.
    Integer product = sigma * std::lround(std::ldexp(normal(), kSafeBits));
    product += std::int64_t{1} << (kSafeBits - 1);
    mpz_fdiv_q_2exp(product.get_mpz_t(), product.get_mpz_t(), kSafeBits);
    return product;
  }

  // These two have no floating-point way that is worth having: inverting the
  // Laplace law with scales of 100 bits was measured slower than drawing from it exactly.
  Integer truncated_laplace(const Rational& scale, const Integer& bound) override {
    return exact_->truncated_laplace(scale, bound);
  }
  Integer uniform(const Integer& low, const Integer& high) override {
    return exact_->uniform(low, high);
  }

 private:
  // Uniform in (0, 1), in the middle of one of 2⁵² equal steps.
  double unit() { return (static_cast<double>(random_.bits64() >> 12) + 0.5) * 0x1p-52; }

  // Eight bits choose the layer, one the sign and 52 others the place: none is used twice.
  double normal() {
    const Ziggurat& z = ziggurat();
    for (;;) {
      const std::uint64_t bits = random_.bits64();
      const std::size_t layer = bits & 0xff;
      const double place = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
      const double sign = (bits & 0x100) != 0 ? -1 : 1;
      const double x = place * z.x[layer];
      if (x < z.x[layer + 1]) return sign * x;
      if (layer == 0) return sign * normal_tail();
      const double height = z.f[layer] + unit() * (z.f[layer + 1] - z.f[layer]);
      if (height < std::exp(-0.5 * x * x)) return sign * x;
    }
  }

  // |Z| given |Z| > kTailStart [Marsaglia 1964].
  double normal_tail() {
    for (;;) {
      const double beyond = -std::log(unit()) / kTailStart;
      if (-2 * std::log(unit()) > beyond * beyond) return kTailStart + beyond;
    }
  }

  // The discrete Gaussian itself, not a rounded normal, whose variance is too
  // large by 1/12. Proposal: k = round(x), x normal with variance τ² = σ² + σ/2;
  // kept with probability exp(x²/(2τ²) − k²/(2σ²) − m), where
  //
  //     m = max_k ((|k| + ½)²/(2τ²) − k²/(2σ²)) = 1/(8(τ² − σ²)) = 1/(4σ).
  double discrete_normal(double sigma) {
    const double tau_squared = sigma * sigma + sigma / 2;
    const double tau = std::sqrt(tau_squared);
    for (;;) {
      const double x = tau * normal();
      const double k = std::round(x);
      const double exponent =
          x * x / (2 * tau_squared) - k * k / (2 * sigma * sigma) - 1 / (4 * sigma);
      const double height = unit();
      if (height < 1 + exponent || height < std::exp(exponent)) return k;
    }
  }

  SeededRandom random_;
  std::unique_ptr<NoiseSource> exact_ = exact_noise(random_);
};

}  // namespace

std::unique_ptr<NoiseSource> fast_noise(std::uint64_t seed, std::uint64_t stream) {
  return std::make_unique<FastNoise>(seed, stream);
}

}  // namespace sotto
