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
    : order_(std::move(order)), places_(order_.size()), interior_(order_.size()) {
  check(order_.size() == weights.graph().size(), "an order of all parties");
  for (std::size_t place = 0; place < order_.size(); ++place) {
    places_[order_[place]] = static_cast<std::uint32_t>(place);
  }
  read(weights, order_, places_);
}

RoundGraph::RoundGraph(const Weights& weights, std::span<const PartyId> own, std::size_t interior,
                       std::span<const PartyId> halo)
    : order_(own.size()), interior_(interior), halo_(halo.size()) {
  std::iota(order_.begin(), order_.end(), PartyId{0});
  std::vector<std::uint32_t> place(weights.graph().size());
  std::uint32_t next = 0;
  for (const PartyId party : own) place[party] = next++;
  for (const PartyId party : halo) place[party] = next++;
  read(weights, own, place);
}

void RoundGraph::read(const Weights& weights, std::span<const PartyId> parties,
                      std::span<const std::uint32_t> place) {
  const Graph& graph = weights.graph();
  const auto uniform = weights.uniform_weight();
  uniform_ = uniform.value_or(0);
  std::size_t neighbours = 0;
  for (const PartyId party : parties) neighbours += graph.degree(party);
  first_.reserve(parties.size() + 1);
  neighbour_.reserve(neighbours);
  if (!uniform) weight_.reserve(neighbours);
  first_.push_back(0);
  for (const PartyId party : parties) {
    for (const PartyId neighbour : graph.neighbours(party)) {
      neighbour_.push_back(place[neighbour]);
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
