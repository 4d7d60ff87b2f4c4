#include "graph/spectrum_bounds.h"

#include <cmath>

// Which proof a graph gets: the tightest that takes seconds.
namespace sotto {
namespace {

constexpr double kClosedFormError = 1e-14;
constexpr double kConfirmed = 1e-10;  // the margin of what a formula says too

SpectrumBounds by_formula(const Spectrum& known) {
  return {known.lambda_2 * (1 - kClosedFormError), known.lambda_max * (1 + kClosedFormError),
          SpectrumProof::kFormula};
}

// Within half of what calibration keeps away from what was computed.
bool near(const Spectrum& computed, const Spectrum& known) {
  const auto close = [](double a, double b) { return std::abs(a - b) <= kConfirmed / 2 * b; };
  return close(computed.lambda_2, known.lambda_2) && close(computed.lambda_max, known.lambda_max);
}

SpectrumBounds proven(const Graph& graph) {
  if (const auto known = closed_form_spectrum(graph)) return by_formula(*known);
  if (graph.edges().empty() || !graph.connected()) {
    return {0, 2 * static_cast<double>(graph.max_degree()), SpectrumProof::kPaths};
  }
  // In one piece and nobody with three neighbours: what one party leaves of a cycle, say.
  std::optional<Spectrum> line;
  if (graph.max_degree() == 2) {
    const bool closed = graph.edges().size() == graph.size();
    line = closed_form_spectrum(closed ? *Graph::cycle(graph.size()) : *Graph::path(graph.size()));
  }
  if (graph.size() <= kMaxNamedParties) {
    const Spectrum computed = computed_spectrum(laplacian(graph));
    const auto margin = line && near(computed, *line) ? std::optional(kConfirmed)
                                                      : confirmed_margin(graph, computed);
    if (margin) {
      return {computed.lambda_2 * (1 - *margin), computed.lambda_max * (1 + *margin),
              SpectrumProof::kInertia};
    }
    return filter_bounds(graph, computed.lambda_2);
  }
  if (line) return by_formula(*line);
  return filter_bounds(graph);
}

}  // namespace

SpectrumBounds spectrum_bounds(const Graph& graph) {
  graphs::SpectrumCache& cache = graph.spectrum_cache();
  const std::scoped_lock lock(cache.mutex);
  if (!cache.bounds) cache.bounds = proven(graph);
  return *cache.bounds;
}

}  // namespace sotto
