// What the engine is worth: the same bits, message by message and side by side, on a cycle of 250;
// and a round of a million parties beside what copying memory allows (scripts/rounds_vs_scipy has
// the same beside SciPy).
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>

#include "base/parallel.h"
#include "privacy/calibrate/dishuf.h"
#include "simulate/round_graph.h"
#include "simulate/rounds.h"
#include "simulate/row_memory.h"
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

// --- large networks ---

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Bytes read and written in a second by all cores together, the best of a few.
double copy_bandwidth(const double* from, double* to, std::size_t doubles) {
  constexpr std::size_t kParts = 64;
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double seconds = seconds_of([&] {
      parallel_for(kParts, 0, [&](std::size_t part) {
        const std::size_t begin = doubles / kParts * part;
        std::memcpy(to + begin, from + begin, doubles / kParts * sizeof(double));
      });
    });
    best = std::max(best, 2.0 * static_cast<double>(doubles * sizeof(double)) / seconds);
  }
  return best;
}

// The model of simulate/rounds.h: what must move for a party whose row has so many bytes.
double bytes_of_a_party(double row, double degree) {
  return 2 * row + degree * 64 * std::ceil((row + 56) / 64) + 4 * degree + 8;
}

constexpr std::size_t kDegree = 4;

// For scripts/rounds_vs_scipy: the same graph, renumbered, as two arrays.
void write_graph(const RoundEdges& edges) {
  const char* path = std::getenv("SOTTO_BENCH_GRAPH");
  if (path == nullptr) return;
  std::ofstream file(path, std::ios::binary);
  const auto write = [&](auto numbers) {
    const auto bytes = std::as_bytes(numbers);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  write(edges.first);
  write(edges.neighbour);
}

// One round at a time of a random 4-regular network: `plain` with p = 9, or gradient tracking with
// m = 3. The counter is the share of what the copy bandwidth of the same minute allows.
void large_round(benchmark::State& state, bool tracking) {
  const auto parties = static_cast<std::size_t>(state.range(0));
  const auto regular = Graph::random_regular(parties, kDegree, 1);
  if (!regular) return state.SkipWithError(regular.error().what.c_str());
  const Weights weights = *Weights::uniform(*regular, 0.2);
  const RoundGraph graph(weights, 1);
  const RoundEdges edges = graph.edges();
  if (!tracking) write_graph(edges);
  const TrackingRows rows{.dimension = 3, .trials = 1};
  const std::size_t lanes = tracking ? rows.lanes() : 9;
  RowMemory now(parties * lanes);
  RowMemory next(parties * lanes);
  RowMemory g(tracking ? parties * rows.matrix_lanes() : 0);
  for (std::size_t k = 0; k < now.size(); ++k) now.data()[k] = static_cast<double>(k % 7);
  const double bandwidth = copy_bandwidth(now.data(), next.data(), now.size());
  const std::size_t members = core_count();
  for (auto _ : state) {
    parallel_for(members, 0, [&](std::size_t member) {
      const PlaceRange places{
          .begin = parties / members * member,
          .end = member + 1 == members ? parties : parties / members * (member + 1)};
      if (tracking) {
        std::vector<double> scratch(2 * lanes);
        track_rows(edges, 1e-4, rows, now.data(), g.data(), next.data(), scratch.data(), places);
      } else {
        mix_rows(edges, {}, lanes, now.data(), next.data(), places);
      }
    });
  }
  const double matrices = tracking ? 72.0 : 0.0;
  const double bytes =
      bytes_of_a_party(static_cast<double>(lanes * sizeof(double)), kDegree) + matrices;
  state.counters["of_copy"] = benchmark::Counter(bytes * static_cast<double>(parties) / bandwidth,
                                                 benchmark::Counter::kIsIterationInvariantRate);
  state.counters["copy_GBps"] = bandwidth * 1e-9;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(parties));
}
BENCHMARK_CAPTURE(large_round, plain, false)
    ->RangeMultiplier(10)
    ->Range(1000, 10'000'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(large_round, gt, true)
    ->Arg(1'000'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

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
