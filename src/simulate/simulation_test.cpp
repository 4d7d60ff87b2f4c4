#include "simulate/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/secrets.h"

namespace sotto {
namespace {

using namespace simulate_test;

// Sends one message to the next party and waits for one; refuses if it is told to.
class Caller final : public Party {
 public:
  Caller(PartyId self, PartyId next, bool refuses) : self_(self), next_(next), refuses_(refuses) {}
  Result<std::vector<Message>> start() override {
    return std::vector<Message>{{self_, next_, RoundValues{}}};
  }
  Result<std::vector<Message>> receive(const Message& message) override {
    if (refuses_) return bad_peer(message.from, "called at a bad time");
    done_ = true;
    return std::vector<Message>{};
  }
  bool done() const override { return done_; }

 private:
  PartyId self_;
  PartyId next_;
  bool refuses_;
  bool done_ = false;
};

std::vector<std::unique_ptr<Party>> ring(std::size_t size, std::size_t refusing) {
  std::vector<std::unique_ptr<Party>> parties;
  for (PartyId i = 0; i < size; ++i) {
    parties.push_back(
        std::make_unique<Caller>(i, static_cast<PartyId>((i + 1) % size), i == refusing));
  }
  return parties;
}

TEST(MessageSimulator, CountsWhatItDelivers) {
  EXPECT_EQ(*run_messages(ring(7, 99)), 7U);
  SeededRandom order(1);
  EXPECT_EQ(*run_messages(ring(7, 99), &order), 7U);
}

TEST(MessageSimulator, APartysErrorEndsTheRun) {
  const auto run = run_messages(ring(4, 2));
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().what, "party 2 called at a bad time");
}

TEST(MessageSimulator, AStandstillIsABug) {
  class Silent final : public Party {
    Result<std::vector<Message>> start() override { return std::vector<Message>{}; }
    Result<std::vector<Message>> receive(const Message&) override { return std::vector<Message>{}; }
    bool done() const override { return false; }
  };
  std::vector<std::unique_ptr<Party>> parties;
  parties.push_back(std::make_unique<Silent>());
  EXPECT_DEATH((void)run_messages(parties), "over");
}

// --- what a simulation lets others see ---

AveragingSetup setup_of(const Weights& weights) {
  return {weights, *plan_consensus(ConsensusMethod::kExact, 1e-9, weights), LocalNoise{0.5}};
}

TEST(Simulation, ShowsTheReleasesThatTheSumsAreMadeOf) {
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  const auto secrets = secrets_of(random_thetas(4, 2, 1), 3);
  std::vector<std::uint64_t> trials;
  std::vector<std::vector<double>> seen;
  SimulationOptions options{.seed = 2, .first_trial = 5, .trials = 10};
  options.on_release = [&](std::uint64_t trial, std::span<const Released> releases) {
    trials.push_back(trial);
    Released total = releases[0];
    for (const Released& release : releases.subspan(1)) {
      for (std::size_t k = 0; k < 2; ++k) total.indices[k] += release.indices[k];
    }
    seen.push_back(total.values());
  };
  const TrialValues sums = *simulate_averaging(setup_of(weights), secrets, options);
  ASSERT_EQ(seen.size(), 10U);
  for (std::size_t t = 0; t < 10; ++t) {
    EXPECT_EQ(trials[t], 5 + t);
    EXPECT_TRUE(std::ranges::equal(seen[t], sums.at(t, 0)));
  }
}

TEST(Simulation, SaysHowFarItIs) {
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  std::vector<std::size_t> done;
  SimulationOptions options{.seed = 1, .trials = 19};
  options.on_trial = [&](std::size_t count) { done.push_back(count); };
  (void)*simulate_averaging(setup_of(weights), secrets_of(random_thetas(4, 1, 1), 3), options);
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), 19U);
}

// Trials of one runner, asked for in any order, are those of a simulation that runs them alone.
TEST(Simulation, TrialsThatShareWhatTheyHaveInCommonAreTheSameTrials) {
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  const Secrets secrets = secrets_of(random_thetas(4, 2, 1), 3);
  for (const auto method : {ConsensusMethod::kExact, ConsensusMethod::kChebyshev}) {
    const AveragingSetup setup{weights, *plan_consensus(method, 1e-6, weights), LocalNoise{0.5}};
    const auto runner = averaging_trials(setup, secrets, {.seed = 3});
    for (const std::uint64_t first : {7U, 0U, 7U}) {
      EXPECT_EQ(*runner->run(first, 2),
                *simulate_averaging(setup, secrets, {.seed = 3, .first_trial = first, .trials = 2}))
          << first;
    }
  }
}

TEST(Simulation, WithTheSystemsRandomnessIsNeverTheSameTwice) {
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  const auto thetas = random_thetas(4, 2, 1);
  const SimulationOptions options{.random_from = RandomFrom::kOperatingSystem};
  const TrialValues one = *simulate_averaging(setup_of(weights), secrets_of(thetas, 3), options);
  const TrialValues two = *simulate_averaging(setup_of(weights), secrets_of(thetas, 3), options);
  EXPECT_NE(one, two);
  // Eight standard deviations: once in 10¹⁵ runs.
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(one.at(0, 0)[k], sum_of(thetas)[k], 8.0);
}

}  // namespace
}  // namespace sotto
