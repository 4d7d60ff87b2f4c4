#include "graph/weights.h"

#include <fmt/core.h>

#include <algorithm>

// Every way to weights ends in one that has been checked, or that is right by its formula.
namespace sotto {
namespace {

// What would be right: any uniform weight below 1/(largest degree), and below 1.
std::string uniform_fix(const Graph& graph) {
  const std::size_t degree = std::max<std::size_t>(graph.max_degree(), 1);
  return fmt::format("a uniform weight above 0 and below 1/{} ≈ {:.4g}, or \"metropolis\"", degree,
                     1.0 / static_cast<double>(degree));
}

}  // namespace

Result<Weights> Weights::uniform(const Graph& graph, double weight) {
  if (!(weight > 0 && weight < 1)) {
    return bad_input("E-graph-weight", fmt::format("a weight of {} on every edge", weight),
                     uniform_fix(graph));
  }
  return given(graph, std::vector<double>(graph.edges().size(), weight));
}

Weights Weights::metropolis(const Graph& graph) {
  std::vector<double> per_edge;
  per_edge.reserve(graph.edges().size());
  for (const auto& [a, b] : graph.edges()) {
    const std::size_t larger = std::max(graph.degree(a), graph.degree(b));
    per_edge.push_back(1.0 / static_cast<double>(1 + larger));
  }
  return {graph, std::move(per_edge)};
}

Result<Weights> Weights::given(const Graph& graph, std::vector<double> weights) {
  const auto edges = graph.edges();
  if (weights.size() != edges.size()) {
    return bad_input("E-graph-weight",
                     fmt::format("{} weights for {} edges", weights.size(), edges.size()),
                     "one weight for each edge");
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (weights[e] > 0 && weights[e] < 1) continue;
    return bad_input("E-graph-weight",
                     fmt::format("a weight of {} between party {} and party {}", weights[e],
                                 edges[e].a + 1, edges[e].b + 1),
                     uniform_fix(graph));
  }
  Weights result(graph, std::move(weights));
  for (PartyId i = 0; i < graph.size(); ++i) {
    double total = 0;  // L_ii
    for (const std::uint32_t e : graph.incident_edges(i)) total += result.per_edge()[e];
    if (total < 1) continue;
    return bad_input(
        "E-graph-weight",
        fmt::format("the weights of party {} to its {} neighbours add up to {:.6g}, not below 1",
                    i + 1, graph.degree(i), total),
        uniform_fix(graph));
  }
  return result;
}

Weights Weights::restricted_to(std::span<const PartyId> members) const {
  std::vector<double> kept;
  for (const std::uint32_t e : graph_.edges_among(members)) kept.push_back(per_edge()[e]);
  return {graph_.restricted_to(members), std::move(kept)};
}

std::vector<double> Weights::of(PartyId party) const {
  std::vector<double> towards;
  towards.reserve(graph_.degree(party));
  for (const std::uint32_t e : graph_.incident_edges(party)) towards.push_back(per_edge()[e]);
  return towards;
}

std::optional<double> Weights::uniform_weight() const {
  if (per_edge().empty()) return std::nullopt;
  const double first = per_edge().front();
  if (!std::ranges::all_of(per_edge(), [&](double w) { return w == first; })) return std::nullopt;
  return first;
}

}  // namespace sotto
