// Copies a graph into the order in which its rounds are walked.
#include "simulate/round_graph.h"

#include <numeric>

#include "base/check.h"
#include "graph/ordering.h"

namespace sotto {
namespace {

std::vector<PartyId> order_of(const Graph& graph, std::size_t renumber_from) {
  if (graph.size() >= renumber_from) return reverse_cuthill_mckee(graph);
  std::vector<PartyId> order(graph.size());
  std::iota(order.begin(), order.end(), PartyId{0});
  return order;
}

}  // namespace

RoundGraph::RoundGraph(const Weights& weights, std::size_t renumber_from)
    : RoundGraph(weights, order_of(weights.graph(), renumber_from)) {}

RoundGraph::RoundGraph(const Weights& weights, std::vector<PartyId> order)
    : order_(std::move(order)), places_(order_.size()) {
  const Graph& graph = weights.graph();
  check(order_.size() == graph.size(), "an order of all parties");
  for (std::size_t place = 0; place < order_.size(); ++place) {
    places_[order_[place]] = static_cast<std::uint32_t>(place);
  }
  const auto uniform = weights.uniform_weight();
  uniform_ = uniform.value_or(0);
  first_.reserve(size() + 1);
  neighbour_.reserve(2 * graph.edges().size());
  if (!uniform) weight_.reserve(neighbour_.capacity());
  first_.push_back(0);
  for (const PartyId party : order_) {
    for (const PartyId neighbour : graph.neighbours(party)) {
      neighbour_.push_back(places_[neighbour]);
    }
    if (!uniform) {
      for (const std::uint32_t edge : graph.incident_edges(party)) {
        weight_.push_back(weights.per_edge()[edge]);
      }
    }
    first_.push_back(neighbour_.size());
  }
}

}  // namespace sotto
