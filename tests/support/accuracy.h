#pragma once

// How much noise is left in the sum, by measurement.

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "simulate/simulation.h"
#include "support/secrets.h"

namespace sotto::simulate_test {

// √(mean of (sum − truth)²) over trials and entries, at party 0.
inline double measured_sd(const AveragingSetup& setup, std::size_t entries, std::size_t trials) {
  const auto thetas = random_thetas(setup.weights.graph().size(), entries, 1);
  const Theta truth = sum_of(thetas);
  const TrialValues sums =
      *simulate_averaging(setup, secrets_of(thetas, 3), {.seed = 2, .trials = trials});
  double squares = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    for (std::size_t k = 0; k < entries; ++k) squares += std::pow(sums.at(t, 0)[k] - truth[k], 2);
  }
  return std::sqrt(squares / static_cast<double>(trials * entries));
}

// The cycle of 10 of the paper's case study: ε = 10, δ = 0.2, μ = 3, g = 0.01.
struct CaseStudy {
  Weights weights = *Weights::uniform(*Graph::cycle(10), 0.3);
  Budget budget = *Budget::make(10, 0.2);
  Sensitivity mu = *Sensitivity::make(3);
  ConsensusPlan exact = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights);
  double central = 3 / gaussian_shift(budget);  // what a trusted server would add
};

// Within g of the central mechanism's, and not below it, to four standard errors.
inline void expect_dishuf_within_g(std::size_t trials) {
  const CaseStudy study;
  const AveragingSetup setup{
      study.weights, study.exact,
      *calibrate_shuffle(study.weights.graph(), study.mu, study.budget, {.g = 0.01}, 0)};
  const double ratio = measured_sd(setup, 9, trials) / study.central;
  const double standard_error = 1 / std::sqrt(2.0 * 9 * static_cast<double>(trials));
  EXPECT_NEAR(ratio, 1.01, 4 * standard_error);
  EXPECT_LT(ratio, 1.01 * (1 + 4 * standard_error));
  EXPECT_GT(ratio, 1 - 4 * standard_error);
}

}  // namespace sotto::simulate_test
