// What was found beyond the paper's eight corrections (docs/FINDINGS.md, from 9 on),
// where no other room's test shows it already.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "graph/spectrum.h"
#include "moments/costs.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/gt.h"
#include "privacy/calibrate/pairwise.h"
#include "privacy/observe/adversary.h"
#include "solve/estimators.h"
#include "support/exact_shifts.h"

namespace sotto {
namespace {

const Budget kPaperBudget = *Budget::make(10, 0.2);
const Sensitivity kPaperMu = *Sensitivity::make(3);

double seen_by(const std::vector<Adversary>& table, Observer observer) {
  for (const Adversary& row : table) {
    if (row.observer == observer) return row.shift;
  }
  return std::nan("");
}

// 11 and 12, in units of κ̄: what the budget allows an observer is 1.
TEST(Findings, OneCuriousNeighbourSeesMuchMoreThanTheBudgetUnderTheShuffleAndLittlePairwise) {
  const double kappa_bar = gaussian_shift(kPaperBudget);
  const auto shuffle_ratio = [&](const Graph& graph, Observer who) {
    const auto noise = privacy::shared_noise(graph, kPaperMu, kPaperBudget, {.g = 0.01}, 0);
    return seen_by(*adversary_table(graph, noise, kPaperMu, kPaperBudget, 0), who) / kappa_bar;
  };
  const auto pairwise_ratio = [&](const Graph& graph) {
    const auto noise = *calibrate_pairwise(graph, kPaperMu, kPaperBudget, 0.01, 0);
    return seen_by(*adversary_table(graph, noise, kPaperMu, kPaperBudget, 0),
                   Observer::kNeighbour) /
           kappa_bar;
  };
  EXPECT_NEAR(shuffle_ratio(*Graph::cycle(10), Observer::kNeighbour), 2.221, 1e-3);
  EXPECT_NEAR(shuffle_ratio(*Graph::cycle(20), Observer::kNeighbour), 2.306, 1e-3);
  EXPECT_NEAR(shuffle_ratio(*Graph::cycle(50), Observer::kNeighbour), 2.361, 1e-3);
  EXPECT_NEAR(shuffle_ratio(Graph::petersen(), Observer::kNeighbour), 2.912, 1e-3);
  EXPECT_NEAR(shuffle_ratio(Graph::petersen(), Observer::kAllNeighbours), 3.132, 1e-3);
  EXPECT_NEAR(shuffle_ratio(*Graph::grid(25), Observer::kNeighbour), 4.827, 1e-3);
  EXPECT_NEAR(shuffle_ratio(*Graph::grid(25), Observer::kAllNeighbours), 4.950, 1e-3);
  EXPECT_NEAR(pairwise_ratio(*Graph::cycle(10)), 1.054, 1e-3);
  EXPECT_NEAR(pairwise_ratio(*Graph::cycle(50)), 1.003, 1e-3);
  EXPECT_NEAR(pairwise_ratio(Graph::petersen()), 1.055, 1e-3);
  EXPECT_NEAR(pairwise_ratio(*Graph::grid(25)), 1.017, 1e-3);
}

// P(k) of N_ℤ(σ²) up to its normalisation.
double weight(int k, double sigma) {
  return std::exp(-k * k / (2 * sigma * sigma));
}

// 13. Y = 10η + Γ has the variance 10²·5² + 1, in which a change of 5 should drown. But
// 10η is a multiple of 10 and Γ is small, so Y mod 10 shows it.
TEST(Findings, ASumOfDiscreteGaussiansCanShowWhatItsVarianceSeemsToHide) {
  constexpr int kReach = 600;
  std::vector<double> law(2 * kReach + 1, 0.0);
  const auto at = [&](std::ptrdiff_t y) -> double& {
    return law[static_cast<std::size_t>(y + kReach)];
  };
  double total = 0;
  for (int eta = -50; eta <= 50; ++eta) {
    for (int gamma = -10; gamma <= 10; ++gamma) {
      const double mass = weight(eta, 5) * weight(gamma, 1);
      at(10 * eta + gamma) += mass;
      total += mass;
    }
  }
  double delta = 0;
  for (int y = -kReach + 5; y <= kReach; ++y) {
    const double here = at(y) / total;
    const double moved = at(y - 5) / total;
    delta += std::max(0.0, here - std::exp(1.0) * moved);
  }
  EXPECT_LT(gaussian_delta(1, 5 / std::sqrt(2501.0)), 1e-20);
  EXPECT_GT(delta, 0.95);
}

// 15. With σ = 0 a prior is left, worth a ridge of s²/τ²: small beside a sum of 200, not of 0.2.
TEST(Findings, NoiseAwareWithoutNoiseIsStillNotLeastSquares) {
  const auto family = *paper_family(5, 3, 1);
  const Eigen::VectorXd least_squares = *minimiser(family);
  for (const auto& [scale, gap] : {std::pair{1.0, 4.9e-4}, std::pair{1e-3, 0.535}}) {
    Quadratic total = sum(family);
    total.a *= scale;
    total.b *= scale;
    const auto found = estimate(Estimator::kNoiseAware, from_quadratic(total, 0));
    EXPECT_NEAR((found->theta - least_squares).norm() / gap, 1, 0.01) << scale;
    const auto exact = estimate(Estimator::kExact, from_quadratic(total, 0));
    EXPECT_LT((exact->theta - least_squares).norm(), 1e-12) << scale;
  }
}

// 16. On a cycle with equal products the shift has a closed form. A plain solve with the
// covariance, whose condition is 8·10¹³ here, misses it in the fourth digit.
TEST(Findings, APlainSolveInDoublesMissesTheShiftOnALongCycle) {
  const Graph ring = *Graph::cycle(250);
  const Sensitivity one = *Sensitivity::make(1);
  const auto noise = privacy::shared_noise(ring, one, *Budget::make(1, 1e-6), {}, 0);
  const double gamma2 = std::pow(noise.sigma_gamma.get_d(), 2);
  const double eta2 = std::pow(noise.sigma_eta.get_d(), 2);
  const double product = 1e6 / noise.inverse_zeta.get_d();
  double squared = 0;
  for (int k = 0; k < 250; ++k) {
    const double s = product * 4 * std::pow(std::sin(std::numbers::pi * k / 250), 2);
    squared += (1 - s) * (1 - s) / (gamma2 + eta2 * s * s) / 250;
  }
  const double closed_form = std::sqrt(squared);

  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(250, 250);
  const Eigen::MatrixXd scaled = product * Eigen::MatrixXd(laplacian(ring));
  const Eigen::MatrixXd covariance = gamma2 * identity + eta2 * scaled * scaled;
  const Eigen::VectorXd moved = (identity - scaled).col(0);
  const double plain = std::sqrt(moved.dot(covariance.partialPivLu().solve(moved)));
  EXPECT_GT(std::abs(plain / closed_form - 1), 1e-4);
  const std::vector<double> products(250, 1e6);
  EXPECT_NEAR(shuffle_shift(ring, noise, one, products) / closed_form, 1, 1e-10);
}

// 17. What a decade [t/10, t] of |Â| adds to E‖x̂‖² where m = 1, A = 2σ, B = σ.
double decade_share(Estimator estimator, double t) {
  constexpr int kSteps = 400;
  double share = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double a = t * std::pow(10, -(k + 0.5) / kSteps);
    const double width = a * std::numbers::ln10 / kSteps;
    for (const double signed_a : {a, -a}) {
      const NoisySums sums{.a = Eigen::MatrixXd::Constant(1, 1, signed_a),
                           .b = Eigen::VectorXd::Constant(1, 1.0),
                           .sigma_a = 1,
                           .sigma_b = 1,
                           .shape = NoiseShape::kEntries};
      const double x = estimate(estimator, sums)->theta(0);
      share += width * std::exp(-(signed_a - 2) * (signed_a - 2) / 2) * x * x;
    }
  }
  return share / std::sqrt(2 * std::numbers::pi);
}

TEST(Findings, TheMeanSquareErrorThatThePaperConjecturesAboutIsInfinite) {
  for (double t = 1e-2; t > 1e-8; t /= 10) {
    EXPECT_NEAR(decade_share(Estimator::kExact, t / 10) / decade_share(Estimator::kExact, t), 10,
                0.2);
    EXPECT_NEAR(decade_share(Estimator::kPsdRidge, t / 10) / decade_share(Estimator::kPsdRidge, t),
                0.1, 0.01);
  }
}

// 18. At a fixed budget the truncation is fixed, so d grows with √n and (1−d)⁻² with it.
TEST(Findings, TheoremOnesErrorBoundIsNotLinearInTheNumberOfParties) {
  const auto noise = *gradient_noise(kPaperMu, kPaperBudget, std::nullopt);
  const auto bound = [&](std::size_t n) {
    return theorem1_bound(noise, n, 3, 200, 1, Convexity::kPaper);
  };
  EXPECT_NEAR(bound(250) / bound(10), 357.7, 1);  // 25 if it were linear
  EXPECT_TRUE(std::isfinite(bound(414)));
  EXPECT_TRUE(std::isinf(bound(415)));
  EXPECT_TRUE(require_convexity(noise, 20, 3, 200, Convexity::kCertain));
  EXPECT_FALSE(require_convexity(noise, 21, 3, 200, Convexity::kCertain));
}

// What does hold: the noise of dishuf's sum is (1+g) times a trusted centre's at any n,
// `ac`'s is √n times, and gt's lies between.
TEST(Findings, TheShufflesSumIsAsNoisyForAnyNumberOfParties) {
  const double central = 3 / gaussian_shift(kPaperBudget);
  const auto gt = *gradient_noise(kPaperMu, kPaperBudget, std::nullopt);
  for (const std::size_t n : {10, 50, 250}) {
    const double root_n = std::sqrt(static_cast<double>(n));
    const auto noise = *calibrate_shuffle(*Graph::cycle(n), kPaperMu, kPaperBudget,
                                          {.g = 0.01, .masks = ShuffleMasks::kShared}, 0);
    EXPECT_NEAR(root_n * noise.sigma_gamma.get_d() / central, 1.01, 1e-9);
    const double on_a = root_n * std::sqrt(gt.laplace.variance());
    EXPECT_GT(on_a, 1.01 * central);
    EXPECT_LT(on_a, root_n * central);
  }
}

TEST(Findings, AMaskForEveryNeighbourKeepsTheBudgetWhereASharedOneDoesNot) {
  const Graph ring = *Graph::cycle(5);
  const Sensitivity row = *Sensitivity::make(1.5);
  const Budget budget = *Budget::make(1, 1e-6);
  const auto neighbour = [&](ShuffleMasks masks, std::size_t colluders) {
    const auto noise = *calibrate_shuffle(ring, row, budget, {.masks = masks}, colluders);
    const auto table = *adversary_table(ring, noise, row, budget, colluders);
    const double ratio =
        std::sqrt(5.0) * noise.sigma_gamma.get_d() / (row.value() / gaussian_shift(budget));
    return std::pair(table[1].epsilon_at_delta, ratio);
  };
  EXPECT_NEAR(neighbour(ShuffleMasks::kShared, 0).first, 2.16, 0.01);
  EXPECT_NEAR(neighbour(ShuffleMasks::kPerNeighbour, 0).first, 1.13, 0.01);
  const auto [shared, shared_noise] = neighbour(ShuffleMasks::kShared, 1);
  EXPECT_LE(shared, 1);
  EXPECT_NEAR(shared_noise, 2.04, 0.01);
  const auto [own, own_noise] = neighbour(ShuffleMasks::kPerNeighbour, 1);
  EXPECT_LE(own, 1);
  EXPECT_NEAR(own_noise, 1.001 * std::sqrt(5.0 / 4), 1e-6);
}

}  // namespace
}  // namespace sotto
