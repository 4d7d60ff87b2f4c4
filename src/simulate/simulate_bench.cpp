// What the engine is worth: the same bits, message by message and side by side, on a cycle of 250.
#include <benchmark/benchmark.h>

#include "privacy/calibrate/dishuf.h"
#include "simulate/simulation.h"
#include "support/by_messages.h"
#include "support/secrets.h"

namespace sotto {
namespace {

using namespace simulate_test;

constexpr std::size_t kParties = 250;
constexpr Round kRounds = 1000;
constexpr std::size_t kTrials = 8;

Weights cycle() {
  return *Weights::uniform(*Graph::cycle(kParties), 0.3);
}

const SimulationOptions kOptions{.seed = 1, .trials = kTrials};

void finish(benchmark::State& state) {
  state.SetLabel(state.range(0) == 0 ? "messages" : "engine");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTrials * kRounds) *
                          static_cast<std::int64_t>(kParties));  // steps of one party
}

void gradient_tracking(benchmark::State& state) {
  const TrackingSetup setup{
      .weights = cycle(),
      .dimension = 3,
      .laplace = GridLaplace::make(*Epsilon::make(10), *Sensitivity::make(3), 3.3),
      .sigma = 0.8,
      .step = 1e-4,
      .rounds = kRounds};
  const auto secrets = secrets_of(random_thetas(kParties, 9, 1), 3);
  for (auto _ : state) {
    benchmark::DoNotOptimize(state.range(0) == 0 ? track_by_messages(setup, secrets, kOptions)
                                                 : *simulate_tracking(setup, secrets, kOptions));
  }
  finish(state);
}
BENCHMARK(gradient_tracking)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void plain_consensus(benchmark::State& state) {
  AveragingSetup setup{cycle(), *plan_consensus(ConsensusMethod::kPlain, 1e-9, cycle()),
                       LocalNoise{0.8}};
  setup.consensus.rounds = kRounds;
  const auto secrets = secrets_of(random_thetas(kParties, 9, 1), 3);
  for (auto _ : state) {
    benchmark::DoNotOptimize(state.range(0) == 0 ? average_by_messages(setup, secrets, kOptions)
                                                 : *simulate_averaging(setup, secrets, kOptions));
  }
  finish(state);
}
BENCHMARK(plain_consensus)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// The rounds alone, without drawing noise: where a long study spends its time.
void engine_rounds(benchmark::State& state) {
  const Weights weights = cycle();
  ConsensusPlan plan = *plan_consensus(ConsensusMethod::kPlain, 1e-9, weights);
  plan.rounds = kRounds;
  TrialValues values = trials_of(std::vector(kTrials, random_thetas(kParties, 9, 1)));
  for (auto _ : state) run_linear_consensus(weights, plan, values);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTrials * kRounds) *
                          static_cast<std::int64_t>(kParties));
}
BENCHMARK(engine_rounds)->Unit(benchmark::kMillisecond);

// The same for gradient tracking: m = 3, so many trials side by side.
void tracking_rounds(benchmark::State& state) {
  const auto trials = static_cast<std::size_t>(state.range(0));
  const Weights weights = cycle();
  const TrialValues costs = trials_of(std::vector(trials, random_thetas(kParties, 9, 1)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(run_gradient_tracking(weights, costs, 3, 1e-4, kRounds));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trials * kRounds) *
                          static_cast<std::int64_t>(kParties));
}
BENCHMARK(tracking_rounds)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);

// A whole trial of `dishuf`, sealing included, in words.
void shuffle(benchmark::State& state) {
  const AveragingSetup setup{cycle(), *plan_consensus(ConsensusMethod::kExact, 1e-9, cycle()),
                             *calibrate_shuffle(cycle().graph(), *Sensitivity::make(3),
                                                *Budget::make(10, 0.2), {.g = 0.01}, 0)};
  const auto secrets = secrets_of(random_thetas(kParties, 9, 1), 3);
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate_averaging(setup, secrets, {.seed = 1, .trials = 1}));
  }
}
BENCHMARK(shuffle)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto
