#include "privacy/truncated_laplace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

TruncatedLaplace noise(double epsilon, double mu, double truncation) {
  return *TruncatedLaplace::make(*Epsilon::make(epsilon), *Sensitivity::make(mu), truncation);
}

double density(double x, double scale, double truncation) {
  if (std::abs(x) > truncation) return 0;
  return std::exp(-std::abs(x) / scale) / (-2 * scale * std::expm1(-truncation / scale));
}

// ∫ (p(x) − e^ε p(x−change))₊ dx by the midpoint rule.
double delta_by_quadrature(double epsilon, double change, double scale, double truncation) {
  constexpr int kSteps = 50'000;
  const double from = -truncation;
  const double width = (2 * truncation + change) / kSteps;
  double sum = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double x = from + (k + 0.5) * width;
    const double gain =
        density(x, scale, truncation) - std::exp(epsilon) * density(x - change, scale, truncation);
    if (gain > 0) sum += gain;
  }
  return sum * width;
}

// reference: 60-digit arithmetic
TEST(TruncatedLaplace, AgreesWithTheReference) {
  struct Row {
    double epsilon, mu, truncation, delta, variance;
  };
  constexpr Row kRows[] = {{10, 3, 3.1, 0.35826104445188712279, 0.17962686335733866319},
                           {1, 0.5, 4, 0.00028830638484350285897, 0.49328849598317510088},
                           {0.3, 1, 9, 0.012603226579266196335, 12.063524432168802452},
                           {10, 3, 3.274879047, 0.20000000030906224987, 0.17976954384822533346}};
  for (const Row& row : kRows) {
    const TruncatedLaplace made = noise(row.epsilon, row.mu, row.truncation);
    EXPECT_NEAR(made.delta() / row.delta, 1, 1e-13);
    EXPECT_NEAR(made.variance() / row.variance, 1, 1e-13);
  }
}

TEST(TruncatedLaplace, ThePapersCaseStudyBreaksItsOwnCondition) {
  EXPECT_GT(noise(10, 3, 3.1).delta(), 0.358);  // the paper says 0.2
  const double needed = truncation_needed(*Budget::make(10, 0.2), *Sensitivity::make(3));
  EXPECT_NEAR(needed, 3.2748790474635849554, 1e-11);
  EXPECT_NEAR(noise(10, 3, needed).delta(), 0.2, 1e-10);
}

TEST(TruncatedLaplace, TruncationNeededIsEnough) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 10.0, 50.0, 500.0, 5000.0}) {
    for (const double delta : {1e-300, 1e-15, 1e-6, 0.2, 0.499, 0.9}) {
      const double needed = truncation_needed(*Budget::make(epsilon, delta), *Sensitivity::make(2));
      ASSERT_TRUE(std::isfinite(needed)) << epsilon << " " << delta;
      EXPECT_GE(needed, 2);
      EXPECT_LE(noise(epsilon, 2, needed).delta(), delta) << epsilon << " " << delta;
    }
  }
  EXPECT_NEAR(truncation_needed(*Budget::make(1, 1e-5), *Sensitivity::make(1)),
              11.361114778489599754, 1e-10);
}

TEST(TruncatedLaplace, RefusesATruncationThatCannotHideTheChange) {
  for (const double truncation :
       {2.999, 0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const auto result =
        TruncatedLaplace::make(*Epsilon::make(1), *Sensitivity::make(3), truncation);
    ASSERT_FALSE(result) << truncation;
    EXPECT_EQ(result.error().name, "E-truncation");
  }
  EXPECT_TRUE(TruncatedLaplace::make(*Epsilon::make(1), *Sensitivity::make(3), 3));
}

TEST(TruncatedLaplace, VarianceLiesBetweenTheUniformAndTheLaplaceOne) {
  EXPECT_NEAR(noise(1e-9, 1, 1).variance() * 3, 1, 1e-8);
  EXPECT_NEAR(noise(1, 1, 1e6).variance() / 2, 1, 1e-14);
  EXPECT_NEAR(noise(1000, 1, 1e6).variance() / 2e-6, 1, 1e-13);
  // The two formulas meet where one takes over from the other.
  EXPECT_NEAR(noise(2 - 1e-12, 1, 1).variance() / noise(2, 1, 1).variance(), 1, 1e-11);
  for (const double epsilon : {0.01, 0.5, 1.9, 2.1, 8.0}) {
    const TruncatedLaplace made = noise(epsilon, 1, 1.5);
    constexpr int kSteps = 40'000;
    double sum = 0;
    for (int k = 0; k < kSteps; ++k) {
      const double x = 1.5 * (k + 0.5) / kSteps;
      sum += 2 * x * x * density(x, made.scale(), 1.5) * 1.5 / kSteps;
    }
    EXPECT_NEAR(made.variance() / sum, 1, 1e-8) << epsilon;
  }
}

TEST(TruncatedLaplace, TheWholePrivacyCurveAgreesWithQuadrature) {
  struct Case {
    double epsilon, mu, truncation;
  };
  // The last two have γ̄ = μ and γ̄ just above it, where the supports barely overlap.
  for (const Case& c :
       {Case{1, 0.5, 4}, Case{10, 3, 3.1}, Case{0.3, 1, 2}, Case{2, 1, 1}, Case{5, 1, 1.01}}) {
    const TruncatedLaplace made = noise(c.epsilon, c.mu, c.truncation);
    for (const double share : {0.0, 0.1, 0.5, 0.9, 0.999, 1.0, 1.5}) {
      const double epsilon = share * c.epsilon;
      EXPECT_NEAR(made.delta_at(epsilon),
                  delta_by_quadrature(epsilon, c.mu, made.scale(), c.truncation), 2e-4)
          << c.epsilon << " " << epsilon;
    }
  }
}

TEST(TruncatedLaplace, DeltaStaysConstantAboveTheEpsilonItWasMadeFor) {
  const TruncatedLaplace made = noise(1, 0.5, 4);
  EXPECT_EQ(made.delta_at(1), made.delta());
  EXPECT_EQ(made.delta_at(100), made.delta());
  EXPECT_GT(made.delta_at(0.999), made.delta());
  EXPECT_NEAR(made.delta_at(1 - 1e-12), made.delta(), 1e-11);
}

TEST(TruncatedLaplace, EpsilonAtInvertsDeltaAt) {
  const TruncatedLaplace made = noise(3, 1, 2.5);
  for (const double epsilon : {0.001, 0.1, 1.0, 2.0, 2.9, 2.999}) {
    EXPECT_NEAR(made.epsilon_at(made.delta_at(epsilon)), epsilon, 1e-9);
  }
  EXPECT_NEAR(made.epsilon_at(made.delta()), 3, 1e-9);
  EXPECT_EQ(made.epsilon_at(made.delta() * (1 - 1e-12)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(made.epsilon_at(made.delta_at(0)), 0);
  EXPECT_EQ(made.epsilon_at(0.99), 0);
}

// Seeded by rapidcheck, which prints its seed.
RC_GTEST_PROP(TruncatedLaplace, ASmallerChangeIsNoWorse, ()) {
  const double epsilon = *rc::gen::inRange(1, 1000) * 0.01;
  const double stretch = 1 + *rc::gen::inRange(0, 1000) * 0.005;
  const double share = *rc::gen::inRange(1, 1000) * 0.001;
  const double asked = *rc::gen::inRange(0, 1200) * 0.01;
  const TruncatedLaplace whole = noise(epsilon, 1, stretch);
  // The same scale and truncation, for a change of `share`.
  const TruncatedLaplace part = noise(epsilon * share, share, stretch);
  RC_ASSERT(std::abs(part.scale() / whole.scale() - 1) < 1e-12);
  RC_ASSERT(part.delta_at(asked) <= whole.delta_at(asked) * (1 + 1e-12));
}

TEST(TruncatedLaplace, NeverOverflows) {
  for (const double epsilon : {1e-6, 1.0, 700.0, 1e5}) {
    for (const double truncation : {1.0, 1.5, 1e3, 1e9}) {
      const TruncatedLaplace made = noise(epsilon, 1, truncation);
      EXPECT_TRUE(made.delta() >= 0 && made.delta() <= 0.5 + 1e-12) << epsilon << truncation;
      EXPECT_TRUE(std::isfinite(made.variance()));
      EXPECT_TRUE(made.delta_at(epsilon / 2) <= 1);
    }
  }
}

}  // namespace
}  // namespace sotto
