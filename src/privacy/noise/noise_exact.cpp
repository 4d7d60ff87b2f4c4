// Exact samplers after Canonne, Kamath, Steinke, "The Discrete Gaussian for
// Differential Privacy" (2020) [CKS20]. Proofs: docs/proofs/discrete_gaussian.md
// and docs/proofs/discrete_truncated_laplace.md.
// The coins are in exact_coins.h; here is what is drawn with them, in integers without limit.
#include <algorithm>

#include "base/check.h"
#include "privacy/noise/exact_coins.h"
#include "privacy/noise/noise.h"

namespace sotto {
namespace {

using noise::Enclosure;
using noise::kDigitBits;
using noise::Word;
static_assert(GMP_NUMB_BITS == 64, "leading bits are read limb by limb");

// Bits shift, …, shift+62 of a number that has no more than shift+63.
Word leading_bits(const Integer& value, std::size_t shift) {
  const std::size_t limb = shift / 64;
  const std::size_t offset = shift % 64;
  const Word lower = mpz_getlimbn(value.get_mpz_t(), static_cast<mp_size_t>(limb)) >> offset;
  if (offset == 0) return lower;
  return lower | mpz_getlimbn(value.get_mpz_t(), static_cast<mp_size_t>(limb + 1)) << (64 - offset);
}

// How many low bits to drop so that `value` keeps its 63 leading ones.
std::size_t excess_bits(const Integer& value) {
  const std::size_t width = mpz_sizeinbase(value.get_mpz_t(), 2);
  return width > kDigitBits ? width - kDigitBits : 0;
}

Rational fraction(const Integer& numerator, const Integer& denominator) {
  Rational result(numerator, denominator);
  result.canonicalize();
  return result;
}

// U uniform in {0, …, bound−1}. Only the leading 63 bits are drawn until
// somebody needs the rest: most draws are rejected before that.
class LazyUniform {
 public:
  LazyUniform(const Integer& bound, RandomSource& random)
      : bound_(bound),
        random_(random),
        shift_(excess_bits(bound)),
        bound_lead_(leading_bits(bound, shift_)) {}

  void draw() {
    for (;;) {
      complete_ = false;
      lead_ = random_.below(shift_ == 0 ? bound_lead_ : bound_lead_ + 1);
      // A smaller lead puts U below the bound whatever its other bits are.
      if (lead_ < bound_lead_ || value() < bound_) return;
    }
  }

  [[nodiscard]] const Integer& value() {
    if (!complete_) complete();
    return value_;
  }

  // U/bound
  [[nodiscard]] Enclosure enclosure() const {
    return noise::enclose_ratio(lead_, bound_lead_, shift_ > 0);
  }
  [[nodiscard]] Rational exactly() { return fraction(value(), bound_); }

 private:
  void complete() {
    const std::size_t last = shift_ / 64;
    const std::size_t offset = shift_ % 64;
    const auto limbs = static_cast<mp_size_t>(last + 2);
    mp_limb_t* limb = mpz_limbs_write(value_.get_mpz_t(), limbs);
    for (std::size_t i = 0; i < last; ++i) limb[i] = random_.bits64();
    limb[last] = lead_ << offset;
    limb[last + 1] = 0;
    if (offset > 0) {
      limb[last] |= random_.bits64() >> (64 - offset);
      limb[last + 1] = lead_ >> (64 - offset);
    }
    mpz_limbs_finish(value_.get_mpz_t(), limbs);
    complete_ = true;
  }

  const Integer& bound_;
  RandomSource& random_;
  std::size_t shift_;
  Word bound_lead_;
  Word lead_ = 0;
  Integer value_;
  bool complete_ = false;
};

class ExactNoise final : public NoiseSource {
 public:
  explicit ExactNoise(RandomSource& random) : random_(random), coins_(random) {}

  // [CKS20, Algorithm 3] with t = σ: a discrete Laplace draw ±(U + σV) of scale σ
  // is kept with probability exp(−(|Y| − σ)²/(2σ²)).
  Integer gaussian(const Integer& sigma) override {
    check(sgn(sigma) >= 0, "a standard deviation is not negative");
    if (sgn(sigma) == 0) return 0;
    LazyUniform u(sigma, random_);
    for (;;) {
      const Word v = coins_.geometric_laplace(u);
      if (!keeps_gaussian(u, v)) continue;
      Integer magnitude = u.value();
      mpz_addmul_ui(magnitude.get_mpz_t(), sigma.get_mpz_t(), v);
      if (give_sign(magnitude)) return magnitude;
    }
  }

  Integer laplace(const Rational& scale) override {
    check(sgn(scale) > 0, "a scale is positive");
    return laplace_within(scale, nullptr);
  }

  Integer truncated_laplace(const Rational& scale, const Integer& bound) override {
    check(sgn(scale) > 0, "a scale is positive");
    check(sgn(bound) >= 0, "a bound is not negative");
    if (sgn(bound) == 0) return 0;
    return bound < scale ? laplace_from_uniform(scale, bound) : laplace_within(scale, &bound);
  }

  Integer uniform(const Integer& low, const Integer& high) override {
    check(low <= high, "a uniform draw has at least one outcome");
    const Integer outcomes = high - low + 1;
    return low + random_.below(outcomes);
  }

 private:
  // True with probability exp(−(V + U/σ − 1)²/2). With u = U/σ and w = V − 1 the
  // exponent is w²/2 + w·u + u²/2, a sum of terms that each stay within [0, 1];
  // for V = 0 it is (1−u)²/2.
  bool keeps_gaussian(LazyUniform& u, Word v) {
    if (v == 0) {
      return coins_.exp_coin(noise::half_square(noise::one_minus(u.enclosure())), [&u] {
        const Rational x = 1 - u.exactly();
        return Rational(x * x / 2);
      });
    }
    const Word w = v - 1;
    for (Word i = 0; i < w; ++i) {
      if (!coins_.exp_of(u)) return false;
      for (Word j = 0; j < w; ++j) {
        if (!coins_.exp_half()) return false;
      }
    }
    return coins_.exp_coin(noise::half_square(u.enclosure()), [&u] {
      const Rational x = u.exactly();
      return Rational(x * x / 2);
    });
  }

  // Gives a magnitude its sign; false for −0, which would count zero twice.
  bool give_sign(Integer& magnitude) {
    const bool negative = coins_.negative();
    if (negative && sgn(magnitude) == 0) return false;
    if (negative) mpz_neg(magnitude.get_mpz_t(), magnitude.get_mpz_t());
    return true;
  }

  // bound < scale: the law is flat enough (e^{−1} at the ends) to cut it out of a uniform one.
  Integer laplace_from_uniform(const Rational& scale, const Integer& bound) {
    const Integer& t = scale.get_num();
    const std::size_t shift = excess_bits(t);
    const Word t_lead = leading_bits(t, shift);
    const Integer outcomes = 2 * bound + 1;
    for (;;) {
      Integer k = random_.below(outcomes) - bound;
      const Integer a = abs(k) * scale.get_den();
      const Enclosure x = noise::enclose_ratio(leading_bits(a, shift), t_lead, shift > 0);
      if (coins_.exp_coin(x, [&] { return fraction(a, t); })) return k;
    }
  }

  // bound ≥ scale: the law without a bound stays inside with probability above 1 − e^{−1}.
  // With scale = t/s, P(X) ∝ e^{−X/t} gives P(⌊X/s⌋ = y) ∝ e^{−ys/t}.
  // Without a bound nothing is cut.
  Integer laplace_within(const Rational& scale, const Integer* bound) {
    const Integer& t = scale.get_num();
    const Integer& s = scale.get_den();
    const Integer limit = bound == nullptr ? Integer(0) : Integer((*bound + 1) * s);
    LazyUniform u(t, random_);
    for (;;) {
      const Word v = coins_.geometric_laplace(u);
      Integer x = u.value();
      mpz_addmul_ui(x.get_mpz_t(), t.get_mpz_t(), v);
      if (bound != nullptr && x >= limit) continue;
      mpz_fdiv_q(x.get_mpz_t(), x.get_mpz_t(), s.get_mpz_t());
      if (give_sign(x)) return x;
    }
  }

  RandomSource& random_;
  noise::ExactCoins<RandomSource> coins_;
};

}  // namespace

std::unique_ptr<NoiseSource> exact_noise(RandomSource& random) {
  return std::make_unique<ExactNoise>(random);
}

}  // namespace sotto
