// Theorem 1(iii) over many draws, and the rate of a long cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "moments/quadratic.h"
#include "privacy/calibrate/gt.h"
#include "protocol/gt.h"
#include "simulate/simulation.h"
#include "support/secrets.h"

namespace sotto {
namespace {

using namespace simulate_test;

// One dimension, so that the exact law of x(∞) = −(B + Ω_B)/(A + Ω_A) can be averaged over
// without running anything.
std::vector<Theta> line(std::size_t parties, double lambda) {
  const auto n = static_cast<double>(parties);
  return {parties, Theta{lambda / n, -lambda / n}};  // x* = 1
}

TEST(Theorem1, HoldsOverManyDrawsWhateverTheMargin) {
  const GradientNoise noise =
      *calibrate_gradient(*Sensitivity::make(3), *Budget::make(10, 0.2), std::nullopt);
  for (const std::size_t parties : {4U, 10U, 50U}) {
    const Weights weights = *Weights::uniform(*Graph::cycle(parties), 0.3);
    for (const double margin : {0.1, 0.5, 0.9}) {
      const double lambda =
          static_cast<double>(parties) * noise.on_grid.largest() / margin;  // d = margin
      const auto secrets = secrets_of(line(parties, lambda), 3);
      TrackingSetup setup{
          .weights = weights, .dimension = 1, .laplace = noise.on_grid, .sigma = noise.sigma_eta};
      constexpr std::size_t kDraws = 10'000;
      double mean = 0;
      for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
        double g = 0;
        double h = 0;
        for (const PerturbedCost& cost : draw_costs(setup, secrets, 1, draw)) {
          g += cost.g(0, 0);
          h += cost.h[0];
        }
        ASSERT_GT(g, (1 - margin) * lambda * (1 - 1e-9));  // the convexity that is promised
        mean += std::pow(-h / g - 1, 2) / kDraws;
      }
      const double bound = theorem1_bound(noise, parties, 1, lambda, 1.0, Convexity::kCertain);
      EXPECT_LT(mean, bound) << parties << " " << margin;
      if (margin == 0.1) {
        EXPECT_GT(mean, bound / 4);  // half for the triangle inequality, some for 1 − d
      }
    }
  }
}

TEST(Theorem1, HoldsForWholeRunsOnTheCaseStudy) {
  const GradientNoise noise =
      *calibrate_gradient(*Sensitivity::make(3), *Budget::make(10, 0.2), std::nullopt);
  const Weights weights = *Weights::uniform(*Graph::cycle(10), 0.3);
  const TrackingSetup setup{.weights = weights,
                            .dimension = 1,
                            .laplace = noise.on_grid,
                            .sigma = noise.sigma_eta,
                            .step = 5e-3,
                            .rounds = 2000};
  constexpr std::size_t kDraws = 5000;
  const TrialValues x =
      *simulate_tracking(setup, secrets_of(line(10, 200), 3), {.seed = 2, .trials = kDraws});
  double mean = 0;
  for (std::size_t t = 0; t < kDraws; ++t) mean += std::pow(x.at(t, 0)[0] - 1, 2) / kDraws;
  const double bound = theorem1_bound(noise, 10, 1, 200, 1.0, Convexity::kCertain);
  EXPECT_LT(mean, bound);
  EXPECT_GT(mean, bound / 4);
}

TEST(Tracking, OnACycleOf250DecaysAtTheRadiusThatArnoldiFound) {
  constexpr std::size_t kParties = 250;
  const Weights weights = *Weights::uniform(*Graph::cycle(kParties), 0.3);
  SeededRandom random(3);
  const Eigen::MatrixXd d = Eigen::Vector3d(0.5, 1, 2).asDiagonal();
  std::vector<Eigen::MatrixXd> g;
  TrialValues costs(1, kParties, theta_size(3));
  Eigen::MatrixXd total_g = Eigen::MatrixXd::Zero(3, 3);
  Eigen::VectorXd total_h = Eigen::VectorXd::Zero(3);
  for (std::size_t i = 0; i < kParties; ++i) {
    Eigen::MatrixXd root(3, 3);
    Eigen::VectorXd h(3);
    for (double& entry : root.reshaped()) entry = small_number(random);
    for (double& entry : h) entry = small_number(random);
    g.emplace_back(d + 0.1 * root * root.transpose());
    std::ranges::copy(to_theta({.a = g.back(), .b = h}), costs.at(0, i).begin());
    total_g += g.back();
    total_h += h;
  }
  const Eigen::VectorXd end = -total_g.ldlt().solve(total_h);
  const GradientRate rate(weights, g);
  // Short, and D's entries far apart: the slowest mode is then one, well apart from the next.
  const double step = 5e-5;
  const double radius = rate.radius(step);
  const auto from = static_cast<Round>(std::log(1e-3) / std::log(radius));
  const auto to = static_cast<Round>(std::log(1e-5) / std::log(radius));
  double at_from = 0;
  double at_to = 0;
  const auto observer = [&](Round round, const RoundView& view) {
    if (round != from && round != to) return;
    double squares = 0;
    for (PartyId i = 0; i < kParties; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        squares += std::pow(view.at(i, k, 0) - end[static_cast<Eigen::Index>(k)], 2);
      }
    }
    (round == from ? at_from : at_to) = std::sqrt(squares);
  };
  (void)run_gradient_tracking(weights, costs, 3, step, to, {.observer = observer});
  const double measured = std::pow(at_to / at_from, 1.0 / (to - from));
  EXPECT_NEAR(measured / radius, 1, 1e-6);
  EXPECT_NEAR(std::log(measured) / std::log(radius), 1, 0.01);
}

}  // namespace
}  // namespace sotto
