#include <mpfr.h>

#include <cmath>
#include <string>

#include "privacy/calibrate/dishuf.h"

// The paper's Lemma 1, in numbers far past a double's range: every step rounds towards more noise.
namespace sotto {
namespace {

// A number of 256 bits with an exponent that 10^676 does not fill. Every
// operation says which way it rounds.
class WideReal {
 public:
  WideReal() { mpfr_init2(value_, kBits); }
  explicit WideReal(double value) : WideReal() { mpfr_set_d(value_, value, MPFR_RNDN); }
  ~WideReal() { mpfr_clear(value_); }
  WideReal(const WideReal&) = delete;
  WideReal& operator=(const WideReal&) = delete;

  [[nodiscard]] mpfr_ptr get() { return value_; }

  [[nodiscard]] Rational exact() const {
    Integer mantissa;
    const mpfr_exp_t exponent = mpfr_get_z_2exp(mantissa.get_mpz_t(), value_);
    return Rational(mantissa) * power_of_two(static_cast<int>(exponent));
  }

 private:
  static constexpr mpfr_prec_t kBits = 256;
  mpfr_t value_;
};

// {α rounded down, 1 − α rounded down} with
//
//     α = (1 − q)^{1/(n−1)},   q = (2(n + ā⁻²))^{−(n−1)}.
//
// ln(1−q)/(n−1) is of the size of q, so 1 − α = −expm1 of it loses nothing.
void lemma1_alpha(std::size_t parties, std::uint64_t multiplier_max, WideReal& alpha,
                  WideReal& gap) {
  WideReal base;
  mpfr_set_ui(base.get(), multiplier_max, MPFR_RNDU);
  mpfr_sqr(base.get(), base.get(), MPFR_RNDD);
  mpfr_ui_div(base.get(), 1, base.get(), MPFR_RNDU);
  mpfr_add_ui(base.get(), base.get(), parties, MPFR_RNDU);
  mpfr_mul_2ui(base.get(), base.get(), 1, MPFR_RNDU);
  WideReal q_low;  // from the base rounded up
  mpfr_pow_ui(q_low.get(), base.get(), parties - 1, MPFR_RNDU);
  mpfr_ui_div(q_low.get(), 1, q_low.get(), MPFR_RNDD);

  mpfr_neg(gap.get(), q_low.get(), MPFR_RNDN);
  mpfr_log1p(gap.get(), gap.get(), MPFR_RNDU);  // towards 0, as everything below
  mpfr_div_ui(gap.get(), gap.get(), parties - 1, MPFR_RNDU);
  mpfr_expm1(gap.get(), gap.get(), MPFR_RNDU);
  mpfr_neg(gap.get(), gap.get(), MPFR_RNDN);
  mpfr_ui_sub(alpha.get(), 1, gap.get(), MPFR_RNDU);
}

}  // namespace

// The paper's Lemma 1, σ_η² where it prints σ_η (it has the dimension of μ²):
//
//     ζ = 1/(nā² + 1),   σ_γ = (1+g)μ/(√n κ̄),
//     σ_η² = (n−1)α²/((1−α)²κ̄²)·[ (1+g)²μ²/((1+g)²−1) − (1+g)²μ²/(n(n−1)α²) ]
//          = (1+g)²μ²/((1−α)²κ̄²)·[ (n−1)α²/((1+g)²−1) − 1/n ].
//
// The second form is computed: upper bounds of α and lower ones of 1−α and κ̄
// can only make it larger. docs/proofs/lemma1.md.
Result<ShuffleNoise> calibrate_lemma1(std::size_t parties, Sensitivity sensitivity,
                                      const Budget& budget, ShuffleParameters parameters) {
  SOTTO_TRY(privacy::require_shuffle_parameters(parameters));
  if (parties < 2 || parties > kMaxNamedParties) {
    return bad_input("E-parties", std::to_string(parties) + " parties are out of range",
                     "between 2 and " + std::to_string(kMaxNamedParties) + " parties");
  }
  const double kappa_bar = gaussian_shift(budget);
  WideReal kappa_low(kappa_bar);
  mpfr_mul_d(kappa_low.get(), kappa_low.get(), 1 - std::ldexp(1.0, -40), MPFR_RNDD);

  WideReal scale(1);  // (1+g)μ/κ̄
  mpfr_add_d(scale.get(), scale.get(), parameters.g, MPFR_RNDU);
  WideReal g_excess;  // (1+g)² − 1 = g(2 + g)
  mpfr_set_d(g_excess.get(), parameters.g, MPFR_RNDN);
  mpfr_add_ui(g_excess.get(), g_excess.get(), 2, MPFR_RNDD);
  mpfr_mul_d(g_excess.get(), g_excess.get(), parameters.g, MPFR_RNDD);
  mpfr_mul_d(scale.get(), scale.get(), sensitivity.value(), MPFR_RNDU);
  mpfr_div(scale.get(), scale.get(), kappa_low.get(), MPFR_RNDU);

  WideReal alpha;
  WideReal gap;
  lemma1_alpha(parties, parameters.multiplier_max, alpha, gap);

  WideReal bracket;
  mpfr_sqr(bracket.get(), alpha.get(), MPFR_RNDU);
  mpfr_mul_ui(bracket.get(), bracket.get(), parties - 1, MPFR_RNDU);
  mpfr_div(bracket.get(), bracket.get(), g_excess.get(), MPFR_RNDU);
  WideReal share(1);
  mpfr_div_ui(share.get(), share.get(), parties, MPFR_RNDD);
  mpfr_sub(bracket.get(), bracket.get(), share.get(), MPFR_RNDU);
  if (mpfr_sgn(bracket.get()) < 0) mpfr_set_zero(bracket.get(), 1);

  WideReal sigma_eta;
  mpfr_sqrt(sigma_eta.get(), bracket.get(), MPFR_RNDU);
  mpfr_mul(sigma_eta.get(), sigma_eta.get(), scale.get(), MPFR_RNDU);
  mpfr_div(sigma_eta.get(), sigma_eta.get(), gap.get(), MPFR_RNDU);

  WideReal root;
  mpfr_sqrt_ui(root.get(), parties, MPFR_RNDD);
  mpfr_div(scale.get(), scale.get(), root.get(), MPFR_RNDU);

  const Integer a_bar(parameters.multiplier_max);
  return ShuffleNoise{.sigma_gamma = scale.exact(),
                      .sigma_eta = sigma_eta.exact(),
                      .inverse_zeta = Integer(parties) * a_bar * a_bar + 1,
                      .multiplier_max = parameters.multiplier_max,
                      .masks = ShuffleMasks::kShared};
}

}  // namespace sotto
