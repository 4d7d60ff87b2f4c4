#include <benchmark/benchmark.h>

#include <ctime>
#include <random>

#include "privacy/noise/noise.h"

// The price of exactness: what one draw costs beside the fast sampler and
// beside the standard library's normal_distribution, in the same run.
namespace sotto {
namespace {

// Seconds per draw of std::normal_distribution, measured once in this run.
double std_normal_seconds() {
  static const double seconds = [] {
    constexpr int kDraws = 2'000'000;
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal(0, 0x1p45);
    const std::clock_t start = std::clock();
    for (int i = 0; i < kDraws; ++i) benchmark::DoNotOptimize(normal(random));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kDraws;
  }();
  return seconds;
}

// Runs `draw` and adds the counter x_std_normal: its time per draw over that one.
template <class Draw>
void measure(benchmark::State& state, Draw draw) {
  const double baseline = std_normal_seconds();
  const std::clock_t start = std::clock();
  for (auto _ : state) benchmark::DoNotOptimize(draw());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  state.counters["x_std_normal"] = seconds / static_cast<double>(state.iterations()) / baseline;
}

void draw_gaussians(benchmark::State& state, NoiseSource& noise) {
  Integer sigma;
  mpz_ui_pow_ui(sigma.get_mpz_t(), static_cast<unsigned long>(state.range(0)),
                static_cast<unsigned long>(state.range(1)));
  measure(state, [&] { return noise.gaussian(sigma); });
}

void exact_gaussian(benchmark::State& state) {
  SeededRandom random(1);
  draw_gaussians(state, *exact_noise(random));
}

void exact_gaussian_from_the_system(benchmark::State& state) {
  OsRandom random;
  draw_gaussians(state, *exact_noise(random));
}

void fast_gaussian(benchmark::State& state) {
  draw_gaussians(state, *fast_noise(1, 0));
}

void sigmas(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"base", "exponent"});
  benchmark->Args({10, 1})->Args({2, 45})->Args({2, 60})->Args({10, 100})->Args({10, 700});
}

BENCHMARK(exact_gaussian)->Apply(sigmas);
BENCHMARK(exact_gaussian_from_the_system)->Apply(sigmas);
BENCHMARK(fast_gaussian)->Apply(sigmas);

void std_normal_distribution(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 0x1p45);
  measure(state, [&] { return normal(random); });
}
BENCHMARK(std_normal_distribution);

void draw_laplace(benchmark::State& state, NoiseSource& noise) {
  // 2⁴⁰ grid steps for ε = 0.1 as the double it is; the bound in scales.
  const Rational scale = Rational(Integer(1) << 40) / Rational(0.1);
  const Integer bound = floor(scale * Rational(static_cast<long>(state.range(0)), 10));
  measure(state, [&] { return noise.truncated_laplace(scale, bound); });
}

void exact_truncated_laplace(benchmark::State& state) {
  SeededRandom random(1);
  draw_laplace(state, *exact_noise(random));
}

BENCHMARK(exact_truncated_laplace)->ArgName("bound_in_tenths_of_scale")->Arg(5)->Arg(100);

}  // namespace
}  // namespace sotto
