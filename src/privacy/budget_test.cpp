#include "privacy/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sotto {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Budget, KeepsWhatItWasMadeOf) {
  const auto budget = Budget::make(1.5, 1e-6);
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->epsilon.value(), 1.5);
  EXPECT_EQ(budget->delta.value(), 1e-6);
}

TEST(Budget, RefusesAnEpsilonThatIsNotFiniteAndPositive) {
  for (const double value : {0.0, -1.0, kInfinity, -kInfinity, kNaN}) {
    const auto result = Epsilon::make(value);
    ASSERT_FALSE(result) << value;
    EXPECT_EQ(result.error().name, "E-epsilon");
    EXPECT_EQ(result.error().status, Status::kBadInput);
  }
}

TEST(Budget, RefusesADeltaOutsideTheOpenUnitInterval) {
  for (const double value : {0.0, -0.1, 1.0, 1.5, kInfinity, kNaN}) {
    const auto result = Delta::make(value);
    ASSERT_FALSE(result) << value;
    EXPECT_EQ(result.error().name, "E-delta");
  }
}

TEST(Budget, RefusesASensitivityThatIsNotFiniteAndPositive) {
  for (const double value : {0.0, -2.0, kInfinity, kNaN}) {
    const auto result = Sensitivity::make(value);
    ASSERT_FALSE(result) << value;
    EXPECT_EQ(result.error().name, "E-sensitivity");
  }
}

TEST(Budget, NamesTheFirstPartThatIsWrong) {
  EXPECT_EQ(Budget::make(-1, 2).error().name, "E-epsilon");
  EXPECT_EQ(Budget::make(1, 2).error().name, "E-delta");
}

TEST(Budget, SaysTheValueGivenAndWhatWouldBeRight) {
  const Error error = Epsilon::make(-0.25).error();
  EXPECT_THAT(error.what, HasSubstr("-0.25"));
  EXPECT_THAT(error.fix, HasSubstr("above 0"));
  EXPECT_THAT(Delta::make(1.5).error().what, HasSubstr("1.5"));
  EXPECT_THAT(Sensitivity::make(-7).error().what, HasSubstr("-7"));
}

TEST(Budget, AcceptsTheEdgesOfWhatADoubleCanSay) {
  EXPECT_TRUE(Budget::make(std::numeric_limits<double>::min(), 1e-300));
  EXPECT_TRUE(Budget::make(std::numeric_limits<double>::max(), 1 - 1e-16));
}

// κ_ε(s) straight from its definition, at 400 bits: enough that the cancellation
// (at most e^−50·1e−15 of the terms) leaves more than 200.
class Oracle {
 public:
  Oracle() { mpfr_inits2(kBits, s_, ratio_, half_, root_, near_, far_, nullptr); }
  ~Oracle() { mpfr_clears(s_, ratio_, half_, root_, near_, far_, nullptr); }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  // κ/reference − 1, in the full precision.
  double relative_error(double value, double epsilon, double shift) {
    evaluate(epsilon, shift);
    mpfr_d_div(far_, value, near_, MPFR_RNDN);
    mpfr_sub_ui(far_, far_, 1, MPFR_RNDN);
    return std::abs(mpfr_get_d(far_, MPFR_RNDN));
  }

  double value(double epsilon, double shift) {
    evaluate(epsilon, shift);
    return mpfr_get_d(near_, MPFR_RNDN);
  }

 private:
  static constexpr mpfr_prec_t kBits = 400;

  void tail(mpfr_t out, int sign) {  // Φ(−(ε/s ± s/2))
    if (sign > 0) {
      mpfr_add(out, ratio_, half_, MPFR_RNDN);
    } else {
      mpfr_sub(out, ratio_, half_, MPFR_RNDN);
    }
    mpfr_div(out, out, root_, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN);
    mpfr_div_ui(out, out, 2, MPFR_RNDN);
  }

  void evaluate(double epsilon, double shift) {
    mpfr_set_ui(root_, 2, MPFR_RNDN);
    mpfr_sqrt(root_, root_, MPFR_RNDN);
    mpfr_set_d(s_, shift, MPFR_RNDN);
    mpfr_d_div(ratio_, epsilon, s_, MPFR_RNDN);
    mpfr_div_ui(half_, s_, 2, MPFR_RNDN);
    tail(near_, -1);
    tail(far_, +1);
    mpfr_set_d(s_, epsilon, MPFR_RNDN);
    mpfr_exp(s_, s_, MPFR_RNDN);
    mpfr_mul(far_, far_, s_, MPFR_RNDN);
    mpfr_sub(near_, near_, far_, MPFR_RNDN);
  }

  mpfr_t s_, ratio_, half_, root_, near_, far_;
};

std::vector<double> logarithmic(double from, double to, int steps) {
  std::vector<double> values;
  for (int k = 0; k <= steps; ++k) values.push_back(from * std::pow(to / from, double(k) / steps));
  return values;
}

TEST(Gaussian, DeltaHasTwelveDigitsOverTheWholeRange) {
  Oracle oracle;
  double worst = 0;
  int points = 0;
  for (const double epsilon : logarithmic(1e-3, 50, 22)) {
    for (const double shift : logarithmic(1e-5, 60, 60)) {
      if (epsilon / shift - shift / 2 > 8.3) continue;  // κ ≤ Φ(−8.3) < 1e-16
      if (oracle.value(epsilon, shift) < 1e-15) continue;
      ++points;
      const double error = oracle.relative_error(gaussian_delta(epsilon, shift), epsilon, shift);
      worst = std::max(worst, error);
      ASSERT_LT(error, 1e-12) << "ε = " << epsilon << ", s = " << shift;
    }
  }
  RecordProperty("worst", std::to_string(worst * 1e15) + "e-15");
  EXPECT_GT(points, 500);
}

// κ̄ is right to 1e-12 iff κ, taken at the two ends of that interval, encloses δ.
TEST(Gaussian, ShiftHasTwelveDigitsOverTheWholeRange) {
  Oracle oracle;
  std::vector<double> deltas = logarithmic(1e-15, 0.4999, 24);
  for (const double delta : {0.5, 0.5000001, 0.7, 0.9, 0.99, 0.999}) deltas.push_back(delta);
  for (const double epsilon : logarithmic(1e-3, 50, 16)) {
    for (const double delta : deltas) {
      const double shift = gaussian_shift(epsilon, delta);
      EXPECT_LE(oracle.value(epsilon, shift * (1 - 1e-12)), delta) << epsilon << " " << delta;
      EXPECT_GE(oracle.value(epsilon, shift * (1 + 1e-12)), delta) << epsilon << " " << delta;
    }
  }
}

// reference: 60-digit arithmetic
TEST(Gaussian, ShiftAgreesWithTheReference) {
  struct Row {
    double epsilon, delta, kappa_bar;
  };
  constexpr Row kRows[] = {
      {0.05, 1e-9, 0.010222980199541457547}, {0.05, 1e-6, 0.014436010251931431455},
      {0.05, 1e-5, 0.01730981418462480383},  {0.05, 0.01, 0.069982789882184995564},
      {0.05, 0.2, 0.55638229950973257165},   {0.1, 1e-9, 0.019916423412681466163},
      {0.1, 1e-6, 0.027544650243827620301},  {0.1, 1e-5, 0.032520784056203910016},
      {0.1, 0.01, 0.10480177537254445781},   {0.1, 0.2, 0.60259915145118488609},
      {0.5, 1e-9, 0.09368649681784492989},   {0.5, 1e-6, 0.12410614903052813064},
      {0.5, 1e-5, 0.14221055866926122244},   {0.5, 0.01, 0.31777172380221036636},
      {0.5, 0.2, 0.90352969162162011816},    {1, 1e-9, 0.18197480729533226431},
      {1, 1e-6, 0.23670438066343570965},     {1, 1e-5, 0.2680511232112942179},
      {1, 0.01, 0.53251664850295076785},     {1, 0.2, 1.1961740932410280193},
      {3, 1e-9, 0.51447626536964412104},     {3, 1e-6, 0.64772653068873043081},
      {3, 1e-5, 0.71911743522179271948},     {3, 0.01, 1.2106652762360445382},
      {3, 0.2, 2.0453581694297888912},       {10, 1e-9, 1.5378773368145399599},
      {10, 1e-6, 1.8481322057670841256},     {10, 1e-5, 2.0004456204306324126},
      {10, 0.01, 2.8563537996214032315},     {10, 0.2, 3.9013745483174363128}};
  for (const Row& row : kRows) {
    EXPECT_NEAR(gaussian_shift(row.epsilon, row.delta) / row.kappa_bar, 1, 1e-12)
        << row.epsilon << " " << row.delta;
  }
}

TEST(Gaussian, EpsilonInvertsDelta) {
  for (const double epsilon : logarithmic(1e-3, 50, 30)) {
    for (const double delta : logarithmic(1e-15, 0.45, 30)) {
      const double shift = gaussian_shift(epsilon, delta);
      EXPECT_NEAR(gaussian_epsilon(shift, delta) / epsilon, 1, 1e-10) << epsilon << " " << delta;
    }
  }
}

TEST(Gaussian, EpsilonIsZeroWhereTheTotalVariationIsSmallEnough) {
  const double shift = 0.3;
  const double total_variation = std::erf(shift / std::sqrt(8.0));
  EXPECT_EQ(gaussian_epsilon(shift, total_variation * (1 + 1e-12)), 0);
  EXPECT_GT(gaussian_epsilon(shift, total_variation * (1 - 1e-9)), 0);
  EXPECT_EQ(gaussian_epsilon(0, 1e-9), 0);
}

TEST(Gaussian, DeltaAtEpsilonZeroIsTheTotalVariation) {
  for (const double shift : {1e-9, 0.01, 0.9, 1.1, 5.0}) {
    EXPECT_NEAR(gaussian_delta(0, shift) / std::erf(shift / std::sqrt(8.0)), 1, 1e-13);
  }
}

TEST(Gaussian, NeverOverflowsAndIsNeverNaN) {
  for (const double epsilon : {0.0, 1e-300, 1e-9, 1.0, 50.0, 700.0, 710.0, 5000.0, 1e12, 1e300}) {
    for (const double shift :
         {0.0, 5e-324, 1e-300, 1e-20, 1e-3, 1.0, 38.0, 1e3, 1e8, 1e154, 1e308, kInfinity}) {
      const double delta = gaussian_delta(epsilon, shift);
      EXPECT_TRUE(delta >= 0 && delta <= 1) << epsilon << " " << shift << " " << delta;
    }
  }
  for (const double epsilon : {1e-300, 1e-9, 700.0, 5000.0, 1e12, 1e300}) {
    for (const double delta : {1e-320, 1e-300, 1e-30, 0.3, 0.999999, 1 - 1e-16}) {
      const double shift = gaussian_shift(epsilon, delta);
      EXPECT_TRUE(shift > 0 && std::isfinite(shift)) << epsilon << " " << delta << " " << shift;
    }
  }
  for (const double shift : {1e-9, 1.0, 1e3, 1e100}) {
    EXPECT_TRUE(std::isfinite(gaussian_epsilon(shift, 1e-12)));
  }
  EXPECT_EQ(gaussian_epsilon(kInfinity, 0.1), kInfinity);
}

TEST(Gaussian, HasAShiftForEveryEpsilonAndDelta) {
  for (const double epsilon : {5e-324, 1e-300, 1e-9, 1.0, 1e9, 1e154, 1e300, 8e307, 1e308,
                               std::numeric_limits<double>::max()}) {
    double before = 0;
    for (const double delta : {5e-324, 1e-300, 1e-100, 1e-5, 0.4, 0.6, 1 - 0x1p-53}) {
      const double shift = gaussian_shift(epsilon, delta);
      EXPECT_TRUE(std::isfinite(shift) && shift >= before) << epsilon << " " << delta;
      before = shift;
    }
  }
}

TEST(Gaussian, DeltaAtALargeEpsilonAgreesWithTheDefinition) {
  Oracle oracle;
  for (const double epsilon : {200.0, 700.0, 1000.0}) {
    for (const double a : {-3.0, 0.0, 2.0, 6.0}) {
      const double shift = -a + std::sqrt(a * a + 2 * epsilon);
      EXPECT_LT(oracle.relative_error(gaussian_delta(epsilon, shift), epsilon, shift), 1e-11);
    }
  }
}

RC_GTEST_PROP(Gaussian, DeltaGrowsWithTheShiftAndFallsWithEpsilon, ()) {
  const double epsilon = *rc::gen::inRange(1, 50000) * 1e-3;
  const double shift = *rc::gen::inRange(1, 20000) * 1e-3;
  const double delta = gaussian_delta(epsilon, shift);
  if (delta < 1e-290 || delta > 1 - 1e-12) RC_DISCARD("flat in double precision");
  RC_ASSERT(gaussian_delta(epsilon, shift * 1.001) > delta);
  RC_ASSERT(gaussian_delta(epsilon * 1.001, shift) < delta);
}

TEST(Gaussian, SigmaIsNeverBelowWhatTheBudgetNeeds) {
  const Sensitivity three = *Sensitivity::make(3);
  for (const double epsilon : {0.01, 0.5, 1.0, 10.0}) {
    for (const double delta : {1e-12, 1e-6, 0.2}) {
      const Budget budget = *Budget::make(epsilon, delta);
      EXPECT_LE(gaussian_delta(epsilon, 3 / gaussian_sigma(three, budget)), delta);
      EXPECT_NEAR(gaussian_sigma(three, budget) * gaussian_shift(budget) / 3, 1, 2e-12);
    }
  }
}

TEST(Gaussian, RoundedUpAddsTwoToTheMinusForty) {
  EXPECT_EQ(rounded_up(1), 1 + std::ldexp(1.0, -40));
  EXPECT_GT(rounded_up(1e-300), 1e-300);
  EXPECT_EQ(rounded_up(0), 0);
}

}  // namespace
}  // namespace sotto
