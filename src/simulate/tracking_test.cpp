// Gradient tracking's rate and accuracy, by measurement.
#include <gtest/gtest.h>

#include <cmath>

#include "base/decompositions.h"
#include "privacy/calibrate/gt.h"
#include "protocol/gt.h"
#include "simulate/simulation.h"
#include "support/secrets.h"

namespace sotto {
namespace {

using namespace simulate_test;

constexpr std::size_t kParties = 10;
constexpr std::size_t kDimension = 3;

// θ_i of A_i = (λ/n)·diag(1, 1.5, 2) + small symmetric parts that cancel in the sum, and B_i such
// that ‖x*‖ = 1. λ_min(A) = λ.
struct Problem {
  std::vector<Theta> thetas;
  Eigen::Vector3d solution{0.6, 0.0, -0.8};
  double lambda_min;

  explicit Problem(double lambda) : lambda_min(lambda) {
    SeededRandom random(1);
    const Eigen::Vector3d a(lambda, 1.5 * lambda, 2 * lambda);
    const auto n = static_cast<double>(kParties);
    for (std::size_t i = 0; i < kParties; ++i) {
      const double sign = i % 2 == 0 ? 1 : -1;  // of what the pair's other member takes back
      if (i % 2 == 0) shift_ = small_number(random);
      const double off = sign * shift_ * lambda / (4 * n);
      // vech: (1,1), (1,2), (1,3), (2,2), (2,3), (3,3)
      thetas.push_back({a[0] / n, off, -off, a[1] / n, off, a[2] / n, -a[0] * solution[0] / n + off,
                        -a[1] * solution[1] / n - off, -a[2] * solution[2] / n + off});
    }
  }

 private:
  double shift_ = 0;
};

struct CaseStudy {
  Weights weights = *Weights::uniform(*Graph::cycle(kParties), 0.3);
  Budget budget = *Budget::make(10, 0.2);
  Sensitivity mu = *Sensitivity::make(3);
  GradientNoise noise = *calibrate_gradient(mu, budget, std::nullopt);

  [[nodiscard]] TrackingSetup setup(double step, Round rounds) const {
    return {.weights = weights,
            .dimension = kDimension,
            .laplace = noise.on_grid,
            .sigma = noise.sigma_eta,
            .step = step,
            .rounds = rounds};
  }
};

std::vector<Eigen::MatrixXd> matrices_of(const std::vector<PerturbedCost>& costs) {
  std::vector<Eigen::MatrixXd> result;
  for (const PerturbedCost& cost : costs) result.push_back(cost.g);
  return result;
}

// The distance of all parties from the perturbed sum's minimiser, over a stretch of the tail of a
// run: its decay per round is the radius that was computed.
TEST(Tracking, DecaysAtTheComputedRadius) {
  const CaseStudy study;
  const Problem problem(200);
  const auto secrets = secrets_of(problem.thetas, 3);
  for (const std::uint64_t trial : {0U, 1U, 2U}) {
    TrackingSetup setup = study.setup(0, 0);
    const auto costs = draw_costs(setup, secrets, 2, trial);
    const GradientRate rate(study.weights, matrices_of(costs));
    setup.step = rate.best_step() / 4;
    const double radius = rate.radius(setup.step);
    // From 1e-4 to 1e-10 of the start: late enough for one mode, early enough for double precision.
    const auto from = static_cast<Round>(std::log(1e-4) / std::log(radius));
    const auto to = static_cast<Round>(std::log(1e-10) / std::log(radius));
    setup.rounds = to;

    Eigen::MatrixXd g = costs[0].g;
    Eigen::VectorXd h = costs[0].h;
    for (std::size_t i = 1; i < costs.size(); ++i) {
      g += costs[i].g;
      h += costs[i].h;
    }
    const Eigen::VectorXd end = -solve_symmetric(g, h);
    double at_from = 0;
    double at_to = 0;
    const auto observer = [&](Round round, const RoundView& view) {
      if (round != from && round != to) return;
      double squares = 0;
      for (PartyId i = 0; i < kParties; ++i) {
        for (std::size_t k = 0; k < kDimension; ++k) {
          squares += std::pow(view.at(i, k, 0) - end[static_cast<Eigen::Index>(k)], 2);
        }
      }
      (round == from ? at_from : at_to) = std::sqrt(squares);
    };
    (void)*simulate_tracking(setup, secrets, {.seed = 2, .first_trial = trial, .trials = 1},
                             observer);
    ASSERT_GT(at_to, 1e-13);
    const double measured = std::pow(at_to / at_from, 1.0 / (to - from));
    EXPECT_NEAR(measured / radius, 1, 0.01);
    EXPECT_NEAR(std::log(measured) / std::log(radius), 1, 0.01);
  }
}

TEST(Tracking, EndsWhereThePerturbedSumHasItsMinimum) {
  const CaseStudy study;
  const Problem problem(200);
  const auto secrets = secrets_of(problem.thetas, 3);
  const TrackingSetup setup = study.setup(5e-3, 2000);
  const auto costs = draw_costs(setup, secrets, 3, 0);
  Eigen::MatrixXd g = Eigen::MatrixXd::Zero(kDimension, kDimension);
  Eigen::VectorXd h = Eigen::VectorXd::Zero(kDimension);
  for (const PerturbedCost& cost : costs) {
    g += cost.g;
    h += cost.h;
  }
  const Eigen::VectorXd end = -solve_symmetric(g, h);
  const TrialValues x = *simulate_tracking(setup, secrets, {.seed = 3, .trials = 1});
  for (const Theta& party : thetas_of(x, 0)) {
    for (std::size_t k = 0; k < kDimension; ++k) {
      EXPECT_NEAR(party[k], end[static_cast<Eigen::Index>(k)], 1e-9);
    }
  }
}

TEST(Tracking, ItsMeanSquareErrorStaysBelowTheorem1) {
  const CaseStudy study;
  const Problem problem(200);
  ASSERT_TRUE(require_convexity(study.noise, kParties, kDimension, 200, Convexity::kCertain));
  constexpr std::size_t kTrials = 400;
  const TrialValues x = *simulate_tracking(study.setup(5e-3, 1000), secrets_of(problem.thetas, 3),
                                           {.seed = 4, .trials = kTrials});
  double mean = 0;
  for (std::size_t t = 0; t < kTrials; ++t) {
    for (std::size_t k = 0; k < kDimension; ++k) {
      mean += std::pow(x.at(t, 0)[k] - problem.solution[static_cast<Eigen::Index>(k)], 2) / kTrials;
    }
  }
  const double bound =
      theorem1_bound(study.noise, kParties, kDimension, 200, 1.0, Convexity::kCertain);
  EXPECT_LT(mean, bound);
  EXPECT_GT(mean, bound / 200);  // a bound on this, not on something else
  // To first order E‖A⁻¹(Ω_A x* + Ω_B)‖², each entry of the vector with the variance
  // n(σ_A²‖x*‖² + σ_η²), which is 9 % wrong at most where ‖Ω_A‖ ≪ λ.
  const double variance =
      kParties * (study.noise.laplace.variance() + study.noise.sigma_eta * study.noise.sigma_eta);
  const double first_order = variance * (1 + 1 / (1.5 * 1.5) + 1 / (2.0 * 2.0)) / (200.0 * 200.0);
  EXPECT_NEAR(mean / first_order, 1, 0.25);
}

}  // namespace
}  // namespace sotto
