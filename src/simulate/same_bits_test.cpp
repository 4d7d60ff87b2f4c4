// The engine takes a faster way to the same bits as the state machines.
#include <gtest/gtest.h>

#include <algorithm>

#include "moments/quadratic.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/pairwise.h"
#include "privacy/trial_seal.h"
#include "simulate/simulation.h"
#include "support/by_messages.h"
#include "support/names.h"
#include "support/secrets.h"

namespace sotto {
namespace {

using namespace simulate_test;

std::vector<Weights> networks() {
  std::vector<Weights> result = {
      *Weights::uniform(*Graph::cycle(10), 0.3),   *Weights::uniform(*Graph::path(2), 0.4),
      Weights::metropolis(*Graph::star(7)),        Weights::metropolis(*Graph::complete(5)),
      Weights::metropolis(*Graph::grid(12)),       Weights::metropolis(Graph::petersen()),
      Weights::metropolis(random_graph(9, 30, 1)), Weights::metropolis(random_graph(13, 10, 2))};
  return result;
}

std::vector<AveragingSetup> setups(const Weights& weights, ConsensusMethod method) {
  const ConsensusPlan plan = *plan_consensus(method, 1e-6, weights);
  const Budget budget = *Budget::make(10, 0.2);
  const Sensitivity mu = *Sensitivity::make(3);
  return {
      {weights, plan, LocalNoise{0.8}},
      {weights, plan, *calibrate_shuffle(weights.graph(), mu, budget, {.g = 0.01}, 0)},
      {weights, plan, *calibrate_pairwise(weights.graph(), mu, budget, 0.01, 0)},
  };
}

class SameBits : public testing::TestWithParam<ConsensusMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, SameBits,
                         testing::Values(ConsensusMethod::kPlain, ConsensusMethod::kChebyshev,
                                         ConsensusMethod::kExact),
                         [](const auto& test) { return to_string(test.param); });

// Three trials: one batch of the engine. Doubles are compared with ==, entry by entry.
TEST_P(SameBits, ByMessagesByEngineAndInAnyDeliveryOrder) {
  for (const Weights& weights : networks()) {
    const auto secrets = secrets_of(random_thetas(weights.graph().size(), 5, 3), 3);
    for (const AveragingSetup& setup : setups(weights, GetParam())) {
      const SimulationOptions options{.seed = 4, .trials = 3};
      const TrialValues engine = *simulate_averaging(setup, secrets, options);
      const TrialValues messages = average_by_messages(setup, secrets, options);
      SeededRandom order(5);
      const TrialValues shuffled = average_by_messages(setup, secrets, options, &order);
      EXPECT_EQ(engine, messages) << weights.graph().size() << " " << setup.noise.index();
      EXPECT_EQ(engine, shuffled) << weights.graph().size() << " " << setup.noise.index();
      if (GetParam() == ConsensusMethod::kExact) {
        for (PartyId i = 1; i < engine.parties(); ++i) {
          EXPECT_TRUE(std::ranges::equal(engine.at(0, i), engine.at(0, 0)));
        }
      }
    }
  }
}

// Sealing in words against sealing message by message, where σ has few bits, many, and more than a
// word draws: grids of 2^-40 of the sensitivity and noise of any size on them.
TEST_P(SameBits, SealedInWordsAndMessageByMessageForNoiseOfAnySize) {
  const Weights weights = Weights::metropolis(random_graph(9, 30, 1));
  const ConsensusPlan plan = *plan_consensus(GetParam(), 1e-3, weights);
  const auto secrets = secrets_of(random_thetas(9, 5, 3), 3);
  std::size_t in_words = 0;
  for (const double sigma : {0.0, 0x1p-37, 0x1p-20, 0x1p-8, 0.8, 40.0, 0x1p17, 0x1p19, 0x1p25}) {
    const Integer many(1'000'003);
    const std::vector<Noise> noises{
        LocalNoise{sigma}, PairwiseNoise{.sigma_gamma = sigma, .sigma_edge = 3 * sigma},
        ShuffleNoise{Rational(sigma), Rational(2 * sigma), many, 1000},
        ShuffleNoise{Rational(sigma), Rational(2 * sigma), 7, 3, ShuffleMasks::kShared},
        ShuffleNoise{Rational(sigma), Rational(2 * sigma), many * many, 1'000'000}};
    for (const Noise& noise : noises) {
      const AveragingSetup setup{weights, plan, noise};
      in_words += TrialSeal::make(noise, weights.graph(), secrets) ? 1 : 0;
      // Nine: eight side by side and one alone.
      EXPECT_EQ(*simulate_averaging(setup, secrets, {.seed = 4, .trials = 9}),
                *simulate_averaging(setup, secrets, {.seed = 4, .trials = 9, .by_messages = true}))
          << sigma << " " << noise.index();
    }
  }
  EXPECT_GT(in_words, 25U);  // and the others are too wide for words
  EXPECT_LT(in_words, 45U);
}

// 2³¹·2³¹ times a difference of 2⁶³, for both ends of one edge: 127 bits, and 126 are taken.
TEST(SameBits, SumsThatCouldLeaveTheirWordsAreNotPutIntoThem) {
  const std::vector<Secret> secrets = secrets_of({{0.5}, {-0.5}});
  ShuffleNoise noise{Rational(1), Rational(1), Integer(8), std::uint64_t{1} << 31};
  EXPECT_FALSE(TrialSeal::make(noise, *Graph::path(2), secrets).has_value());
  noise.multiplier_max = std::uint64_t{1} << 30;
  EXPECT_TRUE(TrialSeal::make(noise, *Graph::path(2), secrets).has_value());
}

TEST(SameBits, OfPerturbedCostsInWordsAndInIntegersWithoutLimit) {
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  const auto secrets = secrets_of(random_thetas(4, 9, 9), 3);
  // ε with a short and with a long mantissa, a law cut off inside its scale and far outside.
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 10.0, 10.7}) {
    for (const double truncation : {3.0, 3.3, 40.0}) {
      const GridLaplace laplace =
          GridLaplace::make(*Epsilon::make(epsilon), *Sensitivity::make(3), truncation);
      const auto costs = TrialCosts::make(secrets, 3, laplace, 0.8);
      ASSERT_TRUE(costs.has_value());
      const TrackingSetup setup{
          .weights = weights, .dimension = 3, .laplace = laplace, .sigma = 0.8};
      for (std::uint64_t trial = 0; trial < 50; ++trial) {
        const auto expected = draw_costs(setup, secrets, 10, trial);
        for (PartyId i = 0; i < 4; ++i) {
          noise::FastDraws draws(10, simulated_stream(trial, i, Draws::kNoise));
          std::vector<double> theta(9);
          costs->draw(i, draws, theta);
          const std::vector<double> wanted = to_theta({.a = expected[i].g, .b = expected[i].h});
          ASSERT_EQ(theta, wanted) << epsilon << " " << truncation;
        }
      }
    }
  }
}

TEST_P(SameBits, WhateverTheBatchAndWhereverItStarts) {
  const Weights weights = *Weights::uniform(*Graph::cycle(6), 0.3);
  const auto secrets = secrets_of(random_thetas(6, 3, 6), 3);
  for (const AveragingSetup& setup : setups(weights, GetParam())) {
    const TrialValues all = *simulate_averaging(setup, secrets, {.seed = 7, .trials = 19});
    ASSERT_EQ(all.trials(), 19U);
    for (const std::uint64_t first : {0U, 1U, 8U, 18U}) {
      const TrialValues one =
          *simulate_averaging(setup, secrets, {.seed = 7, .first_trial = first, .trials = 1});
      EXPECT_EQ(one, all.trial(first));
    }
    EXPECT_NE(all.trial(0), all.trial(1));
    EXPECT_NE(*simulate_averaging(setup, secrets, {.seed = 8, .trials = 1}), all.trial(0));
  }
}

TrackingSetup tracking(const Weights& weights, std::size_t dimension) {
  return {.weights = weights,
          .dimension = dimension,
          .laplace = GridLaplace::make(*Epsilon::make(10), *Sensitivity::make(3), 3.3),
          .sigma = 0.8,
          .step = 1e-3,
          .rounds = 60};
}

TEST(SameBits, OfGradientTrackingByMessagesByEngineAndInAnyDeliveryOrder) {
  for (const Weights& weights : networks()) {
    for (const std::size_t dimension : {1U, 2U, 3U, 6U}) {
      const std::size_t entries = dimension * (dimension + 3) / 2;
      const auto secrets = secrets_of(random_thetas(weights.graph().size(), entries, 9), 3);
      const TrackingSetup setup = tracking(weights, dimension);
      const SimulationOptions options{.seed = 10, .trials = 3};
      const TrialValues engine = *simulate_tracking(setup, secrets, options);
      const TrialValues messages = track_by_messages(setup, secrets, options);
      SeededRandom order(11);
      const TrialValues shuffled = track_by_messages(setup, secrets, options, &order);
      EXPECT_EQ(engine, messages) << weights.graph().size() << " " << dimension;
      EXPECT_EQ(engine, shuffled) << weights.graph().size() << " " << dimension;
    }
  }
}

TEST(SameBits, OfGradientTrackingWhateverTheBatch) {
  const Weights weights = *Weights::uniform(*Graph::cycle(6), 0.3);
  const auto secrets = secrets_of(random_thetas(6, 9, 12), 3);
  const TrackingSetup setup = tracking(weights, 3);
  const TrialValues all = *simulate_tracking(setup, secrets, {.seed = 13, .trials = 11});
  for (const std::uint64_t first : {0U, 7U, 8U, 10U}) {
    const TrialValues one =
        *simulate_tracking(setup, secrets, {.seed = 13, .first_trial = first, .trials = 1});
    EXPECT_EQ(one, all.trial(first));
  }
}

// Parties at other places, divided between threads, with weights that differ and that do not: every
// row length that the vector units see, from one number to several vectors and a rest.
TEST(SameBits, OfRoundsWhateverTheOrderOfThePartiesAndHoweverManyThreads) {
  const std::vector<Weights> large = {*Weights::uniform(*Graph::random_regular(5000, 4, 1), 0.2),
                                      Weights::metropolis(*Graph::grid(4900)),
                                      Weights::metropolis(*Graph::star(4500))};
  for (const Weights& weights : large) {
    const std::size_t parties = weights.graph().size();
    for (const std::size_t entries : {1U, 2U, 3U, 5U, 9U, 14U, 16U, 20U}) {
      const TrialValues start = trials_of({random_thetas(parties, entries, 3)});
      for (const auto method : {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev}) {
        ConsensusPlan plan = *plan_consensus(method, 1e-3, weights);
        plan.rounds = 7;
        TrialValues expected = start;
        run_linear_consensus(weights, plan, expected, {.threads = 1, .renumber_from = parties + 1});
        EXPECT_NE(expected, start);
        for (const std::size_t threads : {1U, 2U, 3U}) {
          TrialValues found = start;
          run_linear_consensus(weights, plan, found, {.threads = threads, .renumber_from = 1});
          EXPECT_EQ(found, expected) << entries << " " << threads;
        }
      }
    }
  }
}

TEST(SameBits, OfGradientTrackingWhateverTheOrderOfThePartiesAndHoweverManyThreads) {
  const Weights weights = Weights::metropolis(*Graph::random_regular(5000, 4, 2));
  for (const std::size_t dimension : {1U, 3U}) {
    const std::size_t entries = dimension * (dimension + 3) / 2;
    for (const std::size_t trials : {1U, 3U}) {
      std::vector<std::vector<Theta>> drawn;
      for (std::size_t t = 0; t < trials; ++t) drawn.push_back(random_thetas(5000, entries, t));
      const TrialValues costs = trials_of(drawn);
      const auto run = [&](std::size_t threads, std::size_t renumber_from) {
        return run_gradient_tracking(weights, costs, dimension, 1e-3, 9,
                                     {.threads = threads, .renumber_from = renumber_from});
      };
      const TrialValues expected = run(1, 5001);
      EXPECT_EQ(run(1, 1), expected);
      EXPECT_EQ(run(3, 1), expected);
      // One trial alone has rows of its own width.
      TrialValues first(1, 5000, entries);
      std::ranges::copy(costs.trial(0).all(), first.all().begin());
      EXPECT_EQ(run_gradient_tracking(weights, first, dimension, 1e-3, 9), expected.trial(0));
    }
  }
}

// From where on the engine renumbers and divides by itself: a network message by message, too.
TEST(SameBits, OfAWholeTrialOnThreadsAndMessageByMessage) {
  const Weights weights = Weights::metropolis(*Graph::random_regular(5000, 3, 4));
  const auto secrets = secrets_of(random_thetas(5000, 2, 3), 3);
  const ConsensusPlan plan = *plan_consensus(ConsensusMethod::kChebyshev, 1e-2, weights);
  const std::vector<Noise> noises{
      LocalNoise{0.8}, PairwiseNoise{.sigma_gamma = 0.1, .sigma_edge = 3},
      ShuffleNoise{Rational(1, 10), Rational(20), Integer(3'000'001), 1000}};
  for (const Noise& noise : noises) {
    const AveragingSetup setup{weights, plan, noise};
    const TrialValues messages =
        *simulate_averaging(setup, secrets, {.seed = 4, .by_messages = true});
    EXPECT_EQ(*simulate_averaging(setup, secrets, {.seed = 4, .threads = 2, .renumber_from = 1}),
              messages)
        << noise.index();
  }
}

TEST(SameBits, WhateverTheCipher) {
  // Only the ciphertexts' randomness comes from the keys' stream: the noise does not depend on it.
  const Weights weights = *Weights::uniform(*Graph::cycle(5), 0.3);
  const auto secrets = secrets_of(random_thetas(5, 3, 14), 3);
  const AveragingSetup setup = setups(weights, ConsensusMethod::kExact)[1];

  // An ideal cipher that spends more randomness than the usual one.
  class Wasteful final : public Cipher {
   public:
    std::unique_ptr<DecryptionKey> generate(RandomSource& random) const override {
      for (int k = 0; k < 100; ++k) (void)random.bits64();
      return ideal_cipher().generate(random);
    }
    Result<std::unique_ptr<EncryptionKey>> read_key(std::string_view serialised) const override {
      return ideal_cipher().read_key(serialised);
    }
  };
  const Wasteful wasteful;
  EXPECT_EQ(*simulate_averaging(setup, secrets, {.seed = 15, .trials = 2}),
            *simulate_averaging(setup, secrets, {.seed = 15, .trials = 2, .cipher = &wasteful}));
}

}  // namespace
}  // namespace sotto
