#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "privacy/noise/noise.h"
#include "support/noise_statistics.h"

namespace sotto {
namespace {

using namespace noise_test;

// --- what the integers guarantee: docs/proofs/discrete_gaussian.md ---

double kappa(double epsilon, double shift) {
  return normal_cdf(shift / 2 - epsilon / shift) -
         std::exp(epsilon) * normal_cdf(-shift / 2 - epsilon / shift);
}

// Σ_k max(P(k) − e^ε P(k−Δ), 0) for the discrete Gaussian.
double discrete_gaussian_delta(double epsilon, double sigma, long shift) {
  const Pmf weight = gaussian_weight(sigma);
  const auto reach = static_cast<long>(40 * sigma) + shift;
  double total = 0;
  double sum = 0;
  for (long k = -reach; k <= reach; ++k) {
    total += weight(k);
    sum += std::max(weight(k) - std::exp(epsilon) * weight(k - shift), 0.0);
  }
  return sum / total;
}

TEST(DiscreteGaussian, IsAsPrivateAsTheContinuousOneWithVarianceLessFour) {
  for (const double sigma : {3.0, 5.0, 10.0, 50.0, 300.0}) {
    for (const long shift : {1L, 2L, 5L, 40L, 200L}) {
      for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 3.0, 10.0}) {
        const auto s = static_cast<double>(shift);
        const double delta = discrete_gaussian_delta(epsilon, sigma, shift);
        EXPECT_LE(delta, kappa(epsilon, s / std::sqrt(sigma * sigma - 4)) + 1e-14)
            << sigma << " " << shift << " " << epsilon;
        // How sharp that is: the gap to κ itself is the lattice's, of second order.
        EXPECT_NEAR(delta, kappa(epsilon, s / sigma), s / (20 * sigma * sigma * sigma))
            << sigma << " " << shift << " " << epsilon;
      }
    }
  }
}

TEST(DiscreteGaussian, TheBoundWouldNotForgiveOnePercentLessNoise) {
  EXPECT_GT(discrete_gaussian_delta(1, 49.5, 50), kappa(1, 50 / std::sqrt(50.0 * 50.0 - 4)));
}

TEST(DiscreteGaussian, KeepsItsGuaranteeForAVectorThatMoves) {
  constexpr double kSigma = 12;
  constexpr long kReach = 110;
  const Pmf weight = gaussian_weight(kSigma);
  for (const auto& [dx, dy] : {std::pair{3L, 4L}, std::pair{1L, 1L}, std::pair{10L, 17L}}) {
    for (const double epsilon : {0.1, 1.0, 3.0}) {
      double total = 0;
      double sum = 0;
      for (long x = -kReach; x <= kReach; ++x) {
        for (long y = -kReach; y <= kReach; ++y) {
          const double p = weight(x) * weight(y);
          total += p;
          sum += std::max(p - std::exp(epsilon) * weight(x - dx) * weight(y - dy), 0.0);
        }
      }
      const double length = std::hypot(static_cast<double>(dx), static_cast<double>(dy));
      EXPECT_LE(sum / total, kappa(epsilon, length / std::sqrt(kSigma * kSigma - 4)) + 1e-13);
      EXPECT_NEAR(sum / total, kappa(epsilon, length / kSigma), 1e-3);
    }
  }
}

TEST(DiscreteGaussian, KeepsItsGuaranteeWhenAnEdgeAddsAndSubtractsTheSameDraw) {
  // Two parties of `pairwise` release (x + γ₁ + r, y + γ₂ − r); x moves by M. Claim 3 of the page:
  // κ_ε of the continuous release with variances less by 4.
  constexpr double kGamma = 8;
  constexpr double kEdge = 10;
  constexpr long kReach = 110;
  const auto joint = [](long x, long y) {
    static const std::vector<double> gamma = [] {
      std::vector<double> table;
      for (long k = -4 * kReach; k <= 4 * kReach; ++k) table.push_back(gaussian_weight(kGamma)(k));
      return table;
    }();
    double sum = 0;
    for (long r = -kReach; r <= kReach; ++r) {
      sum += gaussian_weight(kEdge)(r) * gamma[static_cast<std::size_t>(x - r + 4 * kReach)] *
             gamma[static_cast<std::size_t>(y + r + 4 * kReach)];
    }
    return sum;
  };
  constexpr auto kSide = static_cast<std::size_t>(2 * kReach + 1);
  std::vector<double> law(kSide * kSide);
  for (std::size_t i = 0; i < law.size(); ++i) {
    law[i] = joint(static_cast<long>(i / kSide) - kReach, static_cast<long>(i % kSide) - kReach);
  }
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (const std::size_t moved : {3U, 12U}) {
    for (const double epsilon : {0.1, 1.0}) {
      double sum = 0;
      for (std::size_t i = 0; i < law.size(); ++i) {
        const double other = i >= moved * kSide ? law[i - moved * kSide] : 0;
        sum += std::max(law[i] - std::exp(epsilon) * other, 0.0);
      }
      const auto shift_with = [&](double less) {
        const double common = kGamma * kGamma - less;
        const double opposite = common + 2 * kEdge * kEdge;
        return static_cast<double>(moved) * std::sqrt((1 / common + 1 / opposite) / 2);
      };
      EXPECT_LE(sum / total, kappa(epsilon, shift_with(4)) + 1e-9) << moved << " " << epsilon;
      EXPECT_NEAR(sum / total, kappa(epsilon, shift_with(0)), 1e-4) << moved << " " << epsilon;
    }
  }
}

// --- docs/proofs/discrete_truncated_laplace.md ---

double enumerated_laplace_delta(double epsilon, double scale, long bound, long shift) {
  const Pmf weight = laplace_weight(scale);
  double total = 0;
  double sum = 0;
  for (long k = -bound; k <= bound; ++k) {
    total += weight(k);
    const double moved = k - shift >= -bound ? weight(k - shift) : 0;
    // At ε = M/scale the ratio is e^ε on a whole ray: its rounding is no privacy loss.
    sum += std::max(weight(k) * (1 - 1e-12) - std::exp(epsilon) * moved, 0.0);
  }
  return sum / total;
}

double continuous_laplace_delta(double epsilon, double bound_over_shift) {
  return std::expm1(epsilon) / (2 * std::expm1(epsilon * bound_over_shift));
}

TEST(DiscreteTruncatedLaplace, DeltaIsWhatEnumerationGives) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const long shift : {1L, 3L, 40L}) {
      for (const long bound : {shift, shift + 1, 3 * shift, 10 * shift}) {
        const Rational scale = Rational(shift) / Rational(epsilon);
        const double delta = discrete_truncated_laplace_delta(scale, bound, shift);
        EXPECT_NEAR(delta, enumerated_laplace_delta(epsilon, scale.get_d(), bound, shift),
                    1e-11 * delta);
        const auto ratio = static_cast<double>(bound) / static_cast<double>(shift);
        EXPECT_LE(delta, continuous_laplace_delta(epsilon, ratio) * (1 + 1e-14));
        // A smaller move at the same ε loses less.
        EXPECT_LE(enumerated_laplace_delta(epsilon, scale.get_d(), bound, shift - 1), delta);
      }
    }
  }
}

TEST(DiscreteTruncatedLaplace, DeltaOnAFineGridIsTheContinuousOne) {
  // ε = 10, γ̄/μ = 3.1/3, the paper's case study: δ = 0.35826 (reference: 60-digit arithmetic).
  const Integer shift = 3 * power(2, 40);
  const Integer bound = Integer(31) * power(2, 40) / 10;
  const Rational scale = Rational(shift) / 10;
  EXPECT_NEAR(discrete_truncated_laplace_delta(scale, bound, shift), 0.35826, 5e-6);
  const double ratio = in_units(bound, shift);
  const double continuous = continuous_laplace_delta(10, ratio);
  EXPECT_NEAR(discrete_truncated_laplace_delta(scale, bound, shift) / continuous, 1, 1e-11);
  EXPECT_EQ(discrete_truncated_laplace_delta(scale, bound, 0), 0);
}

TEST(DiscreteTruncatedLaplace, DeltaIsStableWhereTheFormulaCancels) {
  // ε = 2⁻³⁰, K = 4M: (e^ε − 1)/(2(e^{4ε} − 1)) → 1/8·(1 − 3ε/2).
  const Integer shift = power(2, 40);
  const Rational scale = Rational(shift) * power(2, 30);
  const double expected = 0.125 * (1 - 1.5 * 0x1p-30);
  EXPECT_NEAR(discrete_truncated_laplace_delta(scale, 4 * shift, shift), expected, 1e-12);
}

}  // namespace
}  // namespace sotto
