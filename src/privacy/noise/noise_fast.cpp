// Noise for simulations behind the interface of all noise: the words of fast_draws.h where the
// numbers fit, integers without limit where they do not.
#include "base/check.h"
#include "privacy/noise/fast_draws.h"
#include "privacy/noise/noise.h"

namespace sotto {
namespace {

class FastNoise final : public NoiseSource {
 public:
  FastNoise(std::uint64_t seed, std::uint64_t stream) : draws_(seed, stream), bits_(draws_) {}

  Integer gaussian(const Integer& sigma) override {
    check(sgn(sigma) >= 0, "a standard deviation is not negative");
    if (mpz_sizeinbase(sigma.get_mpz_t(), 2) <= noise::kSafeBits) {
      return {draws_.gaussian(noise::WordSigma(sigma))};
    }
    // z as a fixed-point number times σ, rounded: σ may be as large as it likes.
    Integer product = sigma * noise::FastDraws::fixed_point(draws_.normal());
    product += std::int64_t{1} << (noise::kSafeBits - 1);
    mpz_fdiv_q_2exp(product.get_mpz_t(), product.get_mpz_t(), noise::kSafeBits);
    return product;
  }

  // These have no floating-point way that is worth having: inverting the
  // Laplace law with scales of 100 bits was measured slower than drawing from it exactly.
  Integer laplace(const Rational& scale) override { return exact_->laplace(scale); }
  Integer truncated_laplace(const Rational& scale, const Integer& bound) override {
    return exact_->truncated_laplace(scale, bound);
  }
  Integer uniform(const Integer& low, const Integer& high) override {
    return exact_->uniform(low, high);
  }

 private:
  // The same bits, as the exact samplers want them.
  class Bits final : public RandomSource {
   public:
    explicit Bits(noise::FastDraws& draws) : draws_(draws) {}
    void fill(std::span<std::byte>) override { check(false, "noise is drawn word by word"); }
    std::uint64_t bits64() override { return draws_.bits64(); }

   private:
    noise::FastDraws& draws_;
  };

  noise::FastDraws draws_;
  Bits bits_;
  std::unique_ptr<NoiseSource> exact_ = exact_noise(bits_);
};

}  // namespace

std::unique_ptr<NoiseSource> fast_noise(std::uint64_t seed, std::uint64_t stream) {
  return std::make_unique<FastNoise>(seed, stream);
}

}  // namespace sotto
