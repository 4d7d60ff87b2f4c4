// λ₂ by Lanczos beside what it can be checked against, in the same run: the closed
// form for a cycle, a dense solver for a random regular graph. The counter
// `relative_error` compares the two.
#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "graph/graph.h"
#include "graph/spectrum.h"

namespace sotto {
namespace {

void compare(benchmark::State& state, double found, double expected) {
  state.counters["relative_error"] = std::abs(found - expected) / expected;
}

void lambda_2_of_a_cycle(benchmark::State& state) {
  const Graph graph = *Graph::cycle(static_cast<std::size_t>(state.range(0)));
  const auto matrix = laplacian(graph);
  Spectrum found;
  for (auto _ : state) benchmark::DoNotOptimize(found = computed_spectrum(matrix));
  compare(state, found.lambda_2, spectrum(graph).lambda_2);
}
BENCHMARK(lambda_2_of_a_cycle)->Arg(250)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);

Eigen::VectorXd dense_eigenvalues(const Eigen::SparseMatrix<double>& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(matrix),
                                                        Eigen::EigenvaluesOnly)
      .eigenvalues();
}

void lambda_2_of_a_random_regular_graph(benchmark::State& state) {
  const auto matrix = laplacian(*Graph::random_regular(500, 4, 1));
  Spectrum found;
  for (auto _ : state) benchmark::DoNotOptimize(found = computed_spectrum(matrix));
  compare(state, found.lambda_2, dense_eigenvalues(matrix)[1]);
}
BENCHMARK(lambda_2_of_a_random_regular_graph)->Unit(benchmark::kMillisecond);

void lambda_2_of_a_random_regular_graph_densely(benchmark::State& state) {
  const auto matrix = laplacian(*Graph::random_regular(500, 4, 1));
  Eigen::VectorXd found;
  for (auto _ : state) found = dense_eigenvalues(matrix);
  compare(state, found[1], computed_spectrum(matrix).lambda_2);
}
BENCHMARK(lambda_2_of_a_random_regular_graph_densely)->Unit(benchmark::kMillisecond);

// Too large to check densely: the residual test inside computed_spectrum stands for it.
void lambda_2_of_a_large_expander(benchmark::State& state) {
  const auto degree = static_cast<std::size_t>(state.range(0));
  const auto matrix = laplacian(*Graph::random_regular(10'000, degree, 1));
  for (auto _ : state) benchmark::DoNotOptimize(computed_spectrum(matrix));
}
BENCHMARK(lambda_2_of_a_large_expander)->Arg(3)->Arg(20)->Unit(benchmark::kMillisecond);

void drawing_a_random_regular_graph(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Graph::random_regular(10'000, 20, 1));
}
BENCHMARK(drawing_a_random_regular_graph)->Unit(benchmark::kMillisecond);

void cut_of_a_cycle(benchmark::State& state) {
  const Graph graph = *Graph::cycle(250);
  for (auto _ : state) benchmark::DoNotOptimize(find_cut(graph, 1));
}
BENCHMARK(cut_of_a_cycle)->Unit(benchmark::kMillisecond);

void cut_of_a_random_regular_graph(benchmark::State& state) {
  const Graph graph = *Graph::random_regular(10'000, 20, 1);
  for (auto _ : state) benchmark::DoNotOptimize(find_cut(graph, 3));
}
BENCHMARK(cut_of_a_random_regular_graph)->Unit(benchmark::kMillisecond);

void diameter_of_a_random_regular_graph(benchmark::State& state) {
  const Graph graph = *Graph::random_regular(10'000, 20, 1);
  for (auto _ : state) benchmark::DoNotOptimize(graph.diameter());
}
BENCHMARK(diameter_of_a_random_regular_graph)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto
