#include "graph/spectrum_bounds.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "support/graphs.h"

namespace sotto {
namespace {

Spectrum by_dense_solver(const Eigen::SparseMatrix<double>& laplacian) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(laplacian)};
  return {solver.eigenvalues()[1], solver.eigenvalues()[laplacian.rows() - 1]};
}

TEST(ClosedFormSpectrum, AgreesWithADenseSolverForToriAndBaseGraphs) {
  for (const Graph& graph :
       {*Graph::torus(9), *Graph::torus(12), *Graph::torus(16), *Graph::torus(50),
        *Graph::base(8, 2), *Graph::base(36, 4), *Graph::base(60, 5), *Graph::base(7, 7)}) {
    const Spectrum known = closed_form_spectrum(graph).value();
    const Spectrum found = by_dense_solver(laplacian(graph));
    EXPECT_NEAR(known.lambda_2, found.lambda_2, 1e-12) << to_string(graph.topology());
    EXPECT_NEAR(known.lambda_max, found.lambda_max, 1e-12) << to_string(graph.topology());
  }
}

// What calibration rests on: never above λ₂, never below λ_max, whatever the graph.
RC_GTEST_PROP(SpectrumBounds, AreOnTheSafeSideOfADenseSolver, (std::uint64_t seed)) {
  const Graph graph = random_graph(any_of<std::size_t>(2, 90), any_of<std::uint64_t>(5, 60), seed);
  const Spectrum found = by_dense_solver(laplacian(graph));
  const SpectrumBounds bounds = spectrum_bounds(graph);
  RC_ASSERT(bounds.lambda_max >= found.lambda_max * (1 - 1e-13));
  if (!graph.connected()) {
    RC_ASSERT(bounds.lambda_2 == 0);
    return;
  }
  RC_ASSERT(bounds.proof == SpectrumProof::kInertia);
  RC_ASSERT(bounds.lambda_2 <= found.lambda_2);
  RC_ASSERT(bounds.lambda_2 >= found.lambda_2 * (1 - 2e-10));
  const SpectrumBounds filtered = filter_bounds(graph);
  RC_ASSERT(filtered.lambda_2 <= found.lambda_2);
  RC_ASSERT(filtered.lambda_2 > 0);
  RC_ASSERT(filtered.lambda_max >= found.lambda_max);
}

TEST(SpectrumBounds, OfAFilterAreNearToo) {
  const Graph graph = *Graph::random_regular(2000, 4, 1);
  const double lambda_2 = computed_spectrum(laplacian(graph)).lambda_2;
  const SpectrumBounds filtered = filter_bounds(graph);
  EXPECT_EQ(filtered.proof, SpectrumProof::kFilter);
  EXPECT_LE(filtered.lambda_2, lambda_2);
  EXPECT_GE(filtered.lambda_2, 0.7 * lambda_2);
  const SpectrumBounds nearer = filter_bounds(graph, lambda_2);
  EXPECT_LE(nearer.lambda_2, lambda_2);
  EXPECT_GE(nearer.lambda_2, 0.997 * lambda_2);
}

TEST(SpectrumBounds, OfAFilterHoldWhateverWasExpected) {
  const Graph graph = *Graph::random_regular(500, 4, 2);
  const double lambda_2 = by_dense_solver(laplacian(graph)).lambda_2;
  for (const double expected : {0.01, 0.1, lambda_2, 2 * lambda_2, 3.0, 8.0, 1e9}) {
    const SpectrumBounds filtered = filter_bounds(graph, expected);
    EXPECT_LE(filtered.lambda_2, lambda_2) << expected;
    EXPECT_GT(filtered.lambda_2, 0) << expected;
  }
}

TEST(SpectrumBounds, OfAWeightedLaplacianHoldToo) {
  const Graph graph = *Graph::erdos_renyi(400, 12, 3);
  const Weights weights = Weights::metropolis(graph);
  const Spectrum found = by_dense_solver(laplacian(graph, weights.per_edge()));
  const SpectrumBounds filtered = filter_bounds(weights);
  EXPECT_LE(filtered.lambda_2, found.lambda_2);
  EXPECT_GE(filtered.lambda_2, 0.5 * found.lambda_2);
  EXPECT_GE(filtered.lambda_max, found.lambda_max);
}

// Where no polynomial of few steps sees λ₂, how long ways are still bounds it.
TEST(SpectrumBounds, OfLongWaysComeFromTheWays) {
  const Graph known = *Graph::path(60);
  const Graph path = *Graph::make(60, {known.edges().begin(), known.edges().end()});
  EXPECT_EQ(path.topology(), Topology::kEdges);
  const double lambda_2 = closed_form_spectrum(known)->lambda_2;
  EXPECT_LE(4.0 / (60.0 * static_cast<double>(steps_by_way_of_one(path))), lambda_2);
  EXPECT_LE(filter_bounds(path).lambda_2, lambda_2);
  EXPECT_GE(filter_bounds(path).lambda_2, 4.0 / (60 * 61));
}

// The smallest λ₂ that is left when one party goes.
double least_without_one(const Graph& graph) {
  double least = std::numeric_limits<double>::infinity();
  for (PartyId party = 0; party < graph.size(); ++party) {
    const Graph rest = graph.restricted_to(graph.all_but({{party}}));
    least = std::min(least, by_dense_solver(laplacian(rest)).lambda_2);
  }
  return least;
}

// Some of these hang together by one party alone, who knows many.
RC_GTEST_PROP(WithoutOne, IsOnTheSafeSideOfADenseSolverWhoeverGoes, (std::uint64_t seed)) {
  const Graph parts = random_graph(any_of<std::size_t>(4, 40), any_of<std::uint64_t>(5, 40), seed);
  std::vector<Edge> edges(parts.edges().begin(), parts.edges().end());
  const auto hub = static_cast<PartyId>(parts.size());
  const auto every = any_of<PartyId>(1, 4);
  for (PartyId party = 0; party < hub; party += every) edges.push_back({party, hub});
  const Graph graph = *Graph::make(parts.size() + 1, edges);
  RC_PRE(graph.connected());
  RC_ASSERT(lambda_2_without_one(graph) <= least_without_one(graph) * (1 + 1e-9) + 1e-9);
}

TEST(WithoutOne, NobodyIsMissedMuchInARandomRegularGraph) {
  const Graph graph = *Graph::random_regular(20'000, 4, 1);
  const double lambda_2 = spectrum_bounds(graph).lambda_2;
  EXPECT_LT(lambda_2, 1) << "taking 1 away would leave nothing";
  EXPECT_GT(lambda_2_without_one(graph), 0.15 * lambda_2);
  const Graph small = *Graph::random_regular(80, 4, 1);
  EXPECT_GT(lambda_2_without_one(small), 0);
  EXPECT_LE(lambda_2_without_one(small), least_without_one(small));
}

// λ₂ − 1 is what a complete graph is left with, and nothing is left where somebody holds two parts
// together.
TEST(WithoutOne, IsWhatIsKnownOfSmallGraphs) {
  EXPECT_NEAR(lambda_2_without_one(*Graph::complete(9)), 8, 1e-6);
  EXPECT_EQ(lambda_2_without_one(*Graph::star(9)), 0);
  EXPECT_EQ(lambda_2_without_one(*Graph::path(9)), 0);
}

// An estimate of a higher eigenvalue, or of λ_max from below, must be found out.
TEST(Inertia, ConfirmsOnlyWhatIsTrue) {
  for (const Graph& graph : {*Graph::random_regular(300, 4, 1), *Graph::small_world(200, 4, 0.1, 1),
                             *Graph::erdos_renyi(100, 9, 1)}) {
    const Spectrum found = computed_spectrum(laplacian(graph));
    EXPECT_EQ(confirmed_margin(graph, found), 1e-10);
    EXPECT_FALSE(confirmed_margin(graph, {found.lambda_2 * (1 + 1e-5), found.lambda_max}));
    EXPECT_FALSE(confirmed_margin(graph, {found.lambda_2, found.lambda_max * (1 - 1e-5)}));
    EXPECT_FALSE(confirmed_margin(graph, {found.lambda_2 * 1.5, found.lambda_max}));
    EXPECT_EQ(confirmed_margin(graph, {found.lambda_2 * (1 + 1e-9), found.lambda_max}), 1e-8);
    EXPECT_TRUE(confirmed_margin(graph, {found.lambda_2 * 0.9, found.lambda_max * 1.1}));
  }
}

// Parts of these have λ₂ among their own eigenvalues; bounds keep all the same no farther from it.
TEST(SpectrumBounds, OfSymmetricGraphsAreAsNearAsOfOthers) {
  const auto unnamed = [](const Graph& graph) {
    return *Graph::make(graph.size(), {graph.edges().begin(), graph.edges().end()});
  };
  for (const Graph& graph : {*Graph::path(9), *Graph::path(49), *Graph::path(2000),
                             *Graph::cycle(1001), *Graph::star(12), *Graph::complete(20),
                             *Graph::grid(36), *Graph::torus(64), *Graph::base(81, 3)}) {
    const Spectrum known = closed_form_spectrum(graph).value();
    const SpectrumBounds bounds = spectrum_bounds(unnamed(graph));
    EXPECT_EQ(bounds.proof, SpectrumProof::kInertia) << to_string(graph.topology());
    EXPECT_LE(bounds.lambda_2, known.lambda_2);
    EXPECT_GE(bounds.lambda_2, known.lambda_2 * (1 - 1.1e-10));
    EXPECT_GE(bounds.lambda_max, known.lambda_max);
    EXPECT_LE(bounds.lambda_max, known.lambda_max * (1 + 1.1e-10));
  }
}

TEST(SpectrumBounds, AreKnownForEveryTopologyOfManyParties) {
  EXPECT_EQ(spectrum_bounds(*Graph::torus(40'000)).proof, SpectrumProof::kFormula);
  const Graph graph = *Graph::random_regular(12'000, 6, 1);
  const SpectrumBounds bounds = spectrum_bounds(graph);
  EXPECT_EQ(bounds.proof, SpectrumProof::kFilter);
  EXPECT_GT(bounds.lambda_2, 0.5 * (6 - 2 * std::sqrt(5.0)));  // Friedman 2008: near that
  EXPECT_LT(bounds.lambda_2, 6 - 2 * std::sqrt(5.0) + 0.1);
  EXPECT_EQ(bounds.lambda_max, spectrum(graph).lambda_max) << "kept with the graph";
}

}  // namespace
}  // namespace sotto
