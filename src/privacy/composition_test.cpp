#include "privacy/composition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace sotto {
namespace {

// To 25 digits with decimals of 80, Φ by its series, κ by its difference and the inverses by
// halving: nothing of this program.
TEST(Composition, TenRunsAtOneCostThreePointOneFour) {
  const double one = largest_squares(1, 1e-6);
  EXPECT_NEAR(std::sqrt(one), 0.2367043806634357096, 1e-12);
  EXPECT_NEAR(composed_epsilon(10 * one, 1e-5), 3.14, 1e-2);
  EXPECT_NEAR(composed_epsilon(10 * one, 1e-5), 3.13976000333973504, 2e-11);
  EXPECT_NEAR(composed_epsilon(71 * one, 1e-5), 9.96344816393661034, 6e-11);
  EXPECT_NEAR(composed_epsilon(72 * one, 1e-5), 10.0496500933568953, 6e-11);
  EXPECT_NEAR(largest_squares(10, 1e-5) / one, 71.4234639923127186, 1e-9);
}

TEST(Composition, OneReleaseCostsWhatItWasMadeFor) {
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    for (const double delta : {1e-9, 1e-6, 1e-2}) {
      const double stated = composed_epsilon(largest_squares(epsilon, delta), delta);
      EXPECT_GE(stated, epsilon);
      EXPECT_NEAR(stated, epsilon, 2e-11 * epsilon) << epsilon << ' ' << delta;
    }
  }
}

// κ is off by one part in 10¹² at most: the shift and δ are both taken that much worse.
TEST(Composition, SparesWhatKappaMayBeOffInTheShiftAndInDelta) {
  for (const double squares : {0.01, 1.0, 30.0}) {
    for (const double delta : {1e-9, 1e-5, 1e-2}) {
      const double longer = rounded_up(std::sqrt(squares));
      const double smaller = delta * (1 - 0x1p-40);
      const double stated = composed_epsilon(squares, delta);
      EXPECT_GT(stated, rounded_up(gaussian_epsilon(rounded_up(longer), smaller)));
      EXPECT_GT(stated, rounded_up(gaussian_epsilon(longer, delta * (1 - 0x1p-39))));
    }
  }
}

TEST(Composition, WhatNoEpsilonCoversIsInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(composed_epsilon(0, 0), 0);
  EXPECT_EQ(composed_epsilon(1e-30, 0), infinity);
  EXPECT_EQ(composed_epsilon(1, -1e-9), infinity);
  EXPECT_EQ(composed_epsilon(infinity, 1e-6), infinity);
  EXPECT_EQ(composed_epsilon(1e-30, 1e-6), 0) << "less than δ alone allows";
  EXPECT_EQ(largest_squares(0, 1e-6), 0);
  EXPECT_EQ(largest_squares(1, 0), 0);
}

TEST(Composition, WhatALimitAllowsIsFinite) {
  EXPECT_TRUE(std::isfinite(largest_squares(1e308, 1e-5)));
}

RC_GTEST_PROP(Composition, IsRoundedUp, (std::uint16_t a, std::uint16_t b)) {
  const double squares = std::pow(10.0, a / 8192.0 - 4);   // 10⁻⁴ … 10⁴
  const double delta = std::pow(10.0, b / -6000.0 - 0.5);  // 10⁻¹¹ … 0.3
  const double epsilon = composed_epsilon(squares, delta);
  if (epsilon == 0) {
    RC_ASSERT(std::erf(std::sqrt(squares / 8)) <= delta);
    return;
  }
  RC_ASSERT(gaussian_delta(epsilon, std::sqrt(squares)) <= delta);
  const Budget budget = Budget::make(epsilon, delta).value();
  RC_ASSERT(squares_at_most(budget) >= squares);
  RC_ASSERT(squares_at_most(budget) >= largest_squares(epsilon, delta));
}

TEST(Composition, TheDiscreteExcessIsFarBelowAnyDelta) {
  // 3c with c = 3·draws·h, to first order; 200 entries on a complete graph of 100 parties.
  const double draws = 200.0 * (100 + 2 * 4950);
  EXPECT_GE(discrete_excess(draws), 9 * draws * 1.1e-34);
  EXPECT_NEAR(discrete_excess(draws), 9 * draws * 1.1e-34, 1e-11 * discrete_excess(draws));
  EXPECT_LT(discrete_excess(draws), 1e-26);
  EXPECT_EQ(discrete_excess(0), 0);
}

// Why an account splits its limit beforehand. Allowed afterwards is, say, whatever (e, S) has
// κ_{1−e}(√S) ≤ 10⁻³ at the end. A first Gaussian release with a short shift; if its loss came out
// large, a Laplace release follows, otherwise a Gaussian one, each as large as that rule allows.
// What both together keep at ε = 1 is an integral over the first loss, N(s²/2, s²).
TEST(Composition, TradingTheLaplaceShareAfterwardsPassesTheLimit) {
  const double delta = 1e-3;
  const double all = largest_squares(1, delta);
  const double first = 0.0583;
  const double rest = std::sqrt(all - first * first);
  double low = 0;
  double high = 1;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (gaussian_delta(1 - middle, first) <= delta ? low : high) = middle;
  }
  const auto tail = [](double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); };
  // δ(x) of either, for x of any sign.
  const auto gaussian = [&](double x) {
    return tail(x / rest - rest / 2) - std::exp(x) * tail(x / rest + rest / 2);
  };
  const auto laplace = [&](double x) {
    if (x >= low) return 0.0;
    return x <= -low ? 1 - std::exp(x) : 1 - std::exp((x - low) / 2);
  };
  double passed = 0;
  double kept = 0;
  constexpr double kStep = 1e-3;
  for (double z = -9; z < 9; z += kStep) {
    const double weight = kStep * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double left = 1 - (first * first / 2 + first * z);
    passed += weight * std::max(gaussian(left), laplace(left));
    kept += weight * gaussian(left);
  }
  EXPECT_NEAR(kept / delta, 1, 1e-6) << "a sum of squares that was fixed beforehand is kept";
  EXPECT_NEAR(passed / delta, 1.41, 0.01);
}

}  // namespace
}  // namespace sotto
