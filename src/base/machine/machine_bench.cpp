#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/parallel.h"

// What this machine can do at most, measured first: every other benchmark is held against it.
namespace sotto {
namespace {

constexpr std::size_t kCopied = std::size_t{64} << 20;  // bytes a thread: far beyond any cache
constexpr std::size_t kChains = 64;                     // sums that do not wait for each other
constexpr std::size_t kFmaSteps = 1 << 16;

// Bytes read and written, all cores together.
void machine_copy(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(0) == 0 ? core_count() : 1);
  std::vector<std::vector<char>> from(threads, std::vector<char>(kCopied, 1));
  std::vector<std::vector<char>> to(threads, std::vector<char>(kCopied, 2));
  for (auto _ : state) {
    parallel_for(threads, threads, [&](std::size_t k) {
      std::memcpy(to[k].data(), from[k].data(), kCopied);
      benchmark::DoNotOptimize(to[k].data());
      benchmark::ClobberMemory();
    });
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(2 * kCopied * threads) * state.iterations());
}
// 1: one core, 0: all of them.
BENCHMARK(machine_copy)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3"))) void
fma_steps(double* sums) {
  for (std::size_t step = 0; step < kFmaSteps; ++step) {
    for (std::size_t k = 0; k < kChains; ++k) sums[k] = std::fma(sums[k], 0.999, 0.5);
  }
}

// One multiplication and one addition each, in one instruction where there is one; one core.
void machine_fma(benchmark::State& state) {
  std::array<double, kChains> sums{};
  for (auto _ : state) {
    fma_steps(sums.data());
    benchmark::DoNotOptimize(sums.data());
  }
  state.counters["fma_per_second"] = benchmark::Counter(
      static_cast<double>(kChains * kFmaSteps), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(machine_fma)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto
