#include <benchmark/benchmark.h>

#include "base/random.h"
#include "protocol/consensus.h"
#include "protocol/gt.h"

namespace sotto {
namespace {

std::vector<Eigen::MatrixXd> matrices(std::size_t parties, Eigen::Index dimension) {
  SeededRandom random(1);
  std::vector<Eigen::MatrixXd> result;
  for (std::size_t i = 0; i < parties; ++i) {
    Eigen::MatrixXd root(dimension, dimension);
    for (double& entry : root.reshaped()) {
      entry = static_cast<double>(random.below(2'000'001)) * 1e-6 - 1;
    }
    result.emplace_back(Eigen::MatrixXd::Identity(dimension, dimension) / 2 +
                        root * root.transpose());
  }
  return result;
}

Weights cycle(benchmark::State& state) {
  return *Weights::uniform(*Graph::cycle(static_cast<std::size_t>(state.range(0))), 0.3);
}

void gradient_radius(benchmark::State& state) {
  const Weights weights = cycle(state);
  const GradientRate rate(weights, matrices(weights.graph().size(), 3));
  for (auto _ : state) benchmark::DoNotOptimize(rate.radius(1e-3));
}
BENCHMARK(gradient_radius)->Arg(10)->Arg(50)->Arg(250)->Unit(benchmark::kMillisecond);

void gradient_best_step(benchmark::State& state) {
  const Weights weights = cycle(state);
  const GradientRate rate(weights, matrices(weights.graph().size(), 3));
  for (auto _ : state) benchmark::DoNotOptimize(rate.best_step());
}
BENCHMARK(gradient_best_step)->Arg(10)->Arg(50)->Unit(benchmark::kMillisecond);

void consensus_plan(benchmark::State& state) {
  const Weights weights = cycle(state);
  const auto method = static_cast<ConsensusMethod>(state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(plan_consensus(method, 1e-9, weights));
  state.SetLabel(to_string(method));
}
BENCHMARK(consensus_plan)->ArgsProduct({{250, 10'000}, {0, 1, 2}})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sotto
