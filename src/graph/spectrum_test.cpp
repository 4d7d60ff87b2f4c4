#include "graph/spectrum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "support/graphs.h"

namespace sotto {
namespace {

void expect_relative(double actual, double expected, double tolerance) {
  EXPECT_NEAR(actual, expected, tolerance * std::abs(expected));
}

void expect_same(const Spectrum& actual, const Spectrum& expected, double tolerance) {
  expect_relative(actual.lambda_2, expected.lambda_2, tolerance);
  expect_relative(actual.lambda_max, expected.lambda_max, tolerance);
}

Spectrum dense(const Eigen::SparseMatrix<double>& laplacian) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(laplacian)};
  return {solver.eigenvalues()[1], solver.eigenvalues()[laplacian.rows() - 1]};
}

class ClosedForm : public testing::TestWithParam<std::size_t> {};

TEST_P(ClosedForm, AgreesWithLanczosForCycles) {
  const Graph graph = *Graph::cycle(GetParam());
  expect_same(*closed_form_spectrum(graph), computed_spectrum(laplacian(graph)), 1e-12);
}

TEST_P(ClosedForm, AgreesWithLanczosForPaths) {
  const Graph graph = *Graph::path(GetParam());
  expect_same(*closed_form_spectrum(graph), computed_spectrum(laplacian(graph)), 1e-12);
}

TEST_P(ClosedForm, AgreesWithLanczosForStars) {
  const Graph graph = *Graph::star(GetParam());
  expect_same(*closed_form_spectrum(graph), computed_spectrum(laplacian(graph)), 1e-12);
}

TEST_P(ClosedForm, AgreesWithLanczosForCompleteGraphs) {
  const Graph graph = *Graph::complete(GetParam());
  expect_same(*closed_form_spectrum(graph), computed_spectrum(laplacian(graph)), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ClosedForm,
                         testing::Values(3, 4, 7, 10, 50, 64, 65, 66, 101, 250, 1000));

TEST(ClosedFormSpectrum, AgreesWithLanczosForGrids) {
  for (const std::size_t parties : {4, 6, 10, 25, 64, 65, 66, 250, 502, 1000}) {
    SCOPED_TRACE(parties);
    const Graph graph = *Graph::grid(parties);
    expect_same(*closed_form_spectrum(graph), computed_spectrum(laplacian(graph)), 1e-12);
  }
}

TEST(ClosedFormSpectrum, OfTwoPartiesIsTwoWhateverTheNameOfTheGraph) {
  for (const Graph& graph : {*Graph::path(2), *Graph::star(2), *Graph::complete(2)}) {
    expect_same(*closed_form_spectrum(graph), {2, 2}, 1e-15);
    expect_same(computed_spectrum(laplacian(graph)), {2, 2}, 1e-15);
  }
}

TEST(ClosedFormSpectrum, OfPetersenIsTwoAndFive) {
  expect_same(*closed_form_spectrum(Graph::petersen()), {2, 5}, 0);
  expect_same(computed_spectrum(laplacian(Graph::petersen())), {2, 5}, 1e-14);
}

// reference: 60-digit arithmetic, 4 sin²(π/n).
TEST(ClosedFormSpectrum, KeepsAllDigitsForLongCycles) {
  expect_relative(spectrum(*Graph::cycle(10)).lambda_2, 0.38196601125010515180, 4e-16);
  expect_relative(spectrum(*Graph::cycle(50)).lambda_2, 0.0157705973710443379, 4e-16);
  expect_relative(spectrum(*Graph::cycle(250)).lambda_2, 0.00063162143340003369567, 4e-16);
  expect_relative(spectrum(*Graph::cycle(10'000)).lambda_2, 3.9478416305569571113e-7, 4e-16);
}

TEST(ClosedFormSpectrum, IsNotClaimedForGraphsGivenByTheirEdges) {
  EXPECT_FALSE(closed_form_spectrum(*Graph::make(3, {{0, 1}, {1, 2}})));
  EXPECT_FALSE(closed_form_spectrum(*Graph::random_regular(10, 3, 1)));
}

TEST(ComputedSpectrum, KeepsTenDigitsOfATinyEigenvalue) {
  const Graph graph = *Graph::cycle(10'000);
  expect_same(computed_spectrum(laplacian(graph)), spectrum(graph), 1e-10);
}

TEST(ComputedSpectrum, IsZeroForGraphsThatAreNotConnected) {
  for (const std::size_t half : {std::size_t{3}, std::size_t{20}, std::size_t{200}}) {
    std::vector<Edge> edges;
    for (PartyId i = 0; i + 1 < half; ++i) {
      edges.push_back({i, i + 1});
      edges.push_back({PartyId(half + i), PartyId(half + i + 1)});
    }
    const Spectrum found = computed_spectrum(laplacian(*Graph::make(2 * half, edges)));
    EXPECT_LE(std::abs(found.lambda_2), 1e-12 * found.lambda_max);
    expect_relative(found.lambda_max, spectrum(*Graph::path(half)).lambda_max, 1e-12);
  }
}

TEST(ComputedSpectrum, IsZeroWithIsolatedPartiesAndWithoutEdges) {
  EXPECT_LE(computed_spectrum(laplacian(*Graph::make(100, {{3, 7}}))).lambda_2, 1e-12);
  EXPECT_EQ(computed_spectrum(laplacian(*Graph::make(1, {}))).lambda_max, 0);
  EXPECT_EQ(computed_spectrum(laplacian(*Graph::make(5, {}))).lambda_2, 0);
}

// Two cliques and a long path between them: λ₂ is far below everything else.
TEST(ComputedSpectrum, ResolvesABottleneck) {
  const PartyId clique = 100;
  const PartyId bridge = 300;
  std::vector<Edge> edges;
  for (PartyId a = 0; a < clique; ++a) {
    for (PartyId b = a + 1; b < clique; ++b) {
      edges.push_back({a, b});
      edges.push_back({clique + bridge + a, clique + bridge + b});
    }
  }
  for (PartyId i = clique - 1; i < clique + bridge; ++i) edges.push_back({i, i + 1});
  const Eigen::SparseMatrix<double> matrix = laplacian(*Graph::make(2 * clique + bridge, edges));
  expect_same(computed_spectrum(matrix), dense(matrix), 1e-7);  // what a dense solver can resolve
}

// Circulant graphs: λ_k = Σ_s 4 sin²(πks/n). Their largest eigenvalues crowd far
// below the bound that the search starts from.
TEST(ComputedSpectrum, FindsTheTopOfACrowdedSpectrum) {
  const std::size_t n = 1000;
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({PartyId(i), PartyId((i + 1) % n)});
    edges.push_back({PartyId(i), PartyId((i + 2) % n)});
  }
  double largest = 0;
  double second = 1e9;
  for (std::size_t k = 1; k < n; ++k) {
    const double angle = M_PI * static_cast<double>(k) / static_cast<double>(n);
    const double lambda = 4 * std::pow(std::sin(angle), 2) + 4 * std::pow(std::sin(2 * angle), 2);
    largest = std::max(largest, lambda);
    second = std::min(second, lambda);
  }
  expect_same(computed_spectrum(laplacian(*Graph::make(n, edges))), {second, largest}, 1e-12);
}

TEST(ComputedSpectrum, OfRandomRegularGraphsIsThatOfADenseSolver) {
  for (const std::size_t degree : {3, 4, 8}) {
    const auto matrix = laplacian(*Graph::random_regular(300, degree, 7));
    expect_same(computed_spectrum(matrix), dense(matrix), 1e-11);
  }
}

TEST(ComputedSpectrum, OfExpandersTooDenseToFactorIsStillRight) {
  const auto matrix = laplacian(*Graph::random_regular(800, 300, 3));
  const Spectrum found = computed_spectrum(matrix);
  // λ and n − λ: the complement's Laplacian is nI − 11ᵀ − L.
  const Spectrum other = computed_spectrum(matrix * -1 + laplacian(*Graph::complete(800)));
  expect_relative(found.lambda_2, 800 - other.lambda_max, 1e-11);
  expect_relative(found.lambda_max, 800 - other.lambda_2, 1e-11);
}

TEST(ComputedSpectrum, OfRandomGraphsIsThatOfADenseSolver) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const auto matrix = laplacian(random_graph(66 + 5 * seed, 2 + seed / 4, seed));
    const Spectrum found = computed_spectrum(matrix);
    const Spectrum expected = dense(matrix);
    EXPECT_NEAR(found.lambda_2, expected.lambda_2, 1e-12 * expected.lambda_max);
    expect_relative(found.lambda_max, expected.lambda_max, 1e-12);
  }
}

TEST(WeightedSpectrum, OfUniformWeightsIsTheGraphsTimesTheWeight) {
  const Graph graph = *Graph::cycle(10);
  const Spectrum plain = spectrum(graph);
  expect_same(spectrum(*Weights::uniform(graph, 0.3)),
              {0.3 * plain.lambda_2, 0.3 * plain.lambda_max}, 1e-15);
}

TEST(WeightedSpectrum, OfMetropolisWeightsIsThatOfADenseSolver) {
  for (const Graph& graph : {*Graph::star(9), *Graph::grid(12), *Graph::grid(300)}) {
    const Weights weights = Weights::metropolis(graph);
    expect_same(spectrum(weights), dense(laplacian(graph, weights.per_edge())), 1e-11);
  }
}

RC_GTEST_PROP(Laplacian, HasRowsThatSumToZeroAndIsSymmetric, (std::uint64_t seed)) {
  const Graph graph = random_graph(any_of<std::size_t>(1, 30), 30, seed);
  SeededRandom random(seed, 1);
  std::vector<double> weights;
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    weights.push_back(std::ldexp(1.0 + double(random.below(1000)), -20));  // sums are exact
  }
  const Eigen::MatrixXd matrix(laplacian(graph, weights));
  RC_ASSERT(matrix.rowwise().sum().cwiseAbs().maxCoeff() == 0);
  RC_ASSERT(matrix == matrix.transpose());
  RC_ASSERT(Eigen::MatrixXd(laplacian(graph)).diagonal().sum() == 2.0 * double(weights.size()));
}

}  // namespace
}  // namespace sotto
