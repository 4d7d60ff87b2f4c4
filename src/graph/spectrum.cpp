#include "graph/spectrum.h"

#include <cmath>
#include <numbers>

#include "base/check.h"
#include "graph/spectrum_bounds.h"

// Laplacians, and the spectra that are known in closed form.
namespace sotto {
namespace {

double square(double x) {
  return x * x;
}

// A path of n has the eigenvalues 2 − 2cos(πk/n) = 4 sin²(πk/2n), k = 0, …, n−1.
// The sine keeps all digits where 2 − 2cos would cancel: 8 of 16 at n = 10,000.
double path_lambda_2(std::size_t n) {
  return 4 * square(std::sin(std::numbers::pi / (2 * static_cast<double>(n))));
}
double path_lambda_max(std::size_t n) {
  return 4 * square(std::cos(std::numbers::pi / (2 * static_cast<double>(n))));
}

// A cycle of n has 2 − 2cos(2πk/n) = 4 sin²(πk/n), k = 0, …, n−1.
Spectrum cycle_spectrum(std::size_t n) {
  const double lambda_2 = 4 * square(std::sin(std::numbers::pi / static_cast<double>(n)));
  return {lambda_2, n % 2 == 0 ? 4.0 : path_lambda_max(n)};  // k = n/2, or (n−1)/2
}

// A grid is the Cartesian product of two paths: its eigenvalues are all sums of one
// eigenvalue of each.
Spectrum grid_spectrum(std::size_t n) {
  const std::size_t rows = grid_rows(n);
  const std::size_t columns = n / rows;  // ≥ rows
  return {path_lambda_2(columns), path_lambda_max(rows) + path_lambda_max(columns)};
}

// A torus is the product of two cycles.
Spectrum torus_spectrum(std::size_t n) {
  const std::size_t rows = grid_rows(n);
  const Spectrum across = cycle_spectrum(rows);
  const Spectrum along = cycle_spectrum(n / rows);  // ≥ rows
  return {along.lambda_2, across.lambda_max + along.lambda_max};
}

// And a base graph that of complete graphs, each with 0 and its number of parties.
Spectrum base_spectrum(std::span<const std::uint32_t> digits) {
  Spectrum found{static_cast<double>(digits.back()), 0};
  for (const std::uint32_t values : digits) found.lambda_max += values;
  return found;
}

}  // namespace

Eigen::SparseMatrix<double> laplacian(const Graph& graph) {
  return laplacian(graph, std::vector<double>(graph.edges().size(), 1.0));
}

Eigen::SparseMatrix<double> laplacian(const Graph& graph, std::span<const double> edge_weights) {
  check(edge_weights.size() == graph.edges().size(), "there is one weight for each edge");
  const auto n = static_cast<Eigen::Index>(graph.size());
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(4 * edge_weights.size());
  for (std::size_t e = 0; e < edge_weights.size(); ++e) {
    const int a = static_cast<int>(graph.edges()[e].a);
    const int b = static_cast<int>(graph.edges()[e].b);
    const double w = edge_weights[e];
    entries.insert(entries.end(), {{a, a, w}, {b, b, w}, {a, b, -w}, {b, a, -w}});
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());  // adds up the diagonal
  return matrix;
}

std::optional<Spectrum> closed_form_spectrum(const Graph& graph) {
  const std::size_t n = graph.size();
  const auto order = static_cast<double>(n);
  switch (graph.topology()) {
    case Topology::kCycle:
      return cycle_spectrum(n);
    case Topology::kPath:
      return Spectrum{path_lambda_2(n), path_lambda_max(n)};
    case Topology::kStar:  // 0, 1 (n−2 times), n
      return n == 2 ? Spectrum{2, 2} : Spectrum{1, order};
    case Topology::kComplete:  // 0, n (n−1 times)
      return Spectrum{order, order};
    case Topology::kGrid:
      return grid_spectrum(n);
    case Topology::kTorus:
      return torus_spectrum(n);
    case Topology::kBase:
      return base_spectrum(graph.digits());
    case Topology::kPetersen:  // 0, 2 (5 times), 5 (4 times)
      return Spectrum{2, 5};
    case Topology::kRandomRegular:
    case Topology::kErdosRenyi:
    case Topology::kSmallWorld:
    case Topology::kEdges:
    case Topology::kFile:
      return std::nullopt;
  }
  return std::nullopt;
}

Spectrum spectrum(const Graph& graph) {
  if (const auto known = closed_form_spectrum(graph)) return *known;
  if (graph.size() > kMaxNamedParties) return spectrum_bounds(graph).at_worst();
  return computed_spectrum(laplacian(graph));
}

Spectrum spectrum(const Weights& weights) {
  if (const auto w = weights.uniform_weight()) {
    const Spectrum plain = spectrum(weights.graph());
    return {*w * plain.lambda_2, *w * plain.lambda_max};
  }
  if (weights.graph().size() > kMaxNamedParties) return filter_bounds(weights).at_worst();
  return computed_spectrum(laplacian(weights.graph(), weights.per_edge()));
}

}  // namespace sotto
