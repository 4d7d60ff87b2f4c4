// What a cycle of 250 takes, and lemma1 on it.
#include <gtest/gtest.h>

#include <cmath>

#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "simulate/simulation.h"
#include "support/by_messages.h"
#include "support/secrets.h"

namespace sotto {
namespace {

using namespace simulate_test;

double disagreement(const std::vector<Theta>& values) {
  const double mean = sum_of(values)[0] / static_cast<double>(values.size());
  double squares = 0;
  for (const Theta& value : values) squares += std::pow(value[0] - mean, 2);
  return std::sqrt(squares);
}

TEST(CycleOf250, ReachesOneInABillionAndChebyshevFiftyTimesSooner) {
  const Weights weights = *Weights::uniform(*Graph::cycle(250), 0.3);
  Round plain_rounds = 0;
  // Noise to start from, and the slowest mode alone: one period of a sine around the cycle.
  std::vector<std::vector<Theta>> starts = {random_thetas(250, 1, 1),
                                            std::vector<Theta>(250, Theta(1))};
  for (std::size_t i = 0; i < 250; ++i) {
    starts[1][i][0] = std::sin(2 * M_PI * static_cast<double>(i) / 250);
  }
  for (const auto method : {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev}) {
    const ConsensusPlan plan = *plan_consensus(method, 1e-9, weights);
    TrialValues values = trials_of(starts);
    run_linear_consensus(weights, plan, values);
    for (std::size_t t = 0; t < starts.size(); ++t) {
      EXPECT_LE(disagreement(thetas_of(values, t)), 1.001e-9 * disagreement(starts[t]))
          << to_string(method);
      EXPECT_NEAR(sum_of(thetas_of(values, t))[0], sum_of(starts[t])[0], 1e-10);
    }
    // The slowest mode needs them all: a twentieth fewer is not enough.
    ConsensusPlan hurried = plan;
    hurried.rounds -= hurried.rounds / 20;
    values = trials_of(starts);
    run_linear_consensus(weights, hurried, values);
    EXPECT_GT(disagreement(thetas_of(values, 1)), 1e-9 * disagreement(starts[1]))
        << to_string(method);
    if (method == ConsensusMethod::kPlain) {
      plain_rounds = plan.rounds;
    } else {
      EXPECT_LE(50 * plan.rounds, plain_rounds);
    }
  }
  EXPECT_EQ(plan_consensus(ConsensusMethod::kExact, 1e-9, weights)->rounds, 125U);
}

class Lemma1 : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Parties, Lemma1, testing::Values(10, 50, 250),
                         testing::PrintToStringParamName());

// σ_η of 10^13.9, 10^101 and 10^676, and the parties agree on the sum all the same, to the bit.
TEST_P(Lemma1, RunsInExactArithmeticAndReachesTheTrueAverage) {
  const std::size_t parties = GetParam();
  const Weights weights = *Weights::uniform(*Graph::cycle(parties), 0.3);
  const Budget budget = *Budget::make(10, 0.2);
  const Sensitivity mu = *Sensitivity::make(3);
  const AveragingSetup setup{weights, *plan_consensus(ConsensusMethod::kExact, 1e-9, weights),
                             *calibrate_lemma1(parties, mu, budget, {.g = 0.01})};
  const auto thetas = random_thetas(parties, 9, 2);
  const Theta truth = sum_of(thetas);
  const TrialValues sums =
      average_by_messages(setup, secrets_of(thetas, 3), {.seed = 3, .trials = 2});
  const double sd = 1.01 * 3 / gaussian_shift(budget);
  for (std::size_t t = 0; t < sums.trials(); ++t) {
    const std::vector<Theta> trial = thetas_of(sums, t);
    double squares = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      EXPECT_LT(std::abs(trial[0][k] - truth[k]), 6 * sd);
      squares += std::pow((trial[0][k] - truth[k]) / sd, 2);
    }
    EXPECT_GT(squares, 0.5);  // χ² with 9 degrees of freedom: below once in 20 000
    for (const Theta& party : trial) EXPECT_EQ(party, trial[0]);
  }
}

}  // namespace
}  // namespace sotto
