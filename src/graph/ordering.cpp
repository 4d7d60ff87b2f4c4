// Own code: Boost.Graph's works on a copy of the graph in lists of its own, which at 10⁷ parties
// takes more memory than the simulation.
#include "graph/ordering.h"

#include <algorithm>

#include "base/check.h"

namespace sotto {
namespace {

class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Graph& graph) : graph_(graph), placed_(graph.size(), false) {
    order_.reserve(graph.size());
  }

  [[nodiscard]] std::vector<PartyId> take() {
    for (PartyId party = 0; party < graph_.size(); ++party) {
      if (!placed_[party]) walk_component(party);
    }
    std::ranges::reverse(order_);
    return std::move(order_);
  }

 private:
  void walk_component(PartyId first) {
    const std::size_t begin = order_.size();
    walk(first);
    // Who was reached last is far from where the walk began: a better place to begin at.
    const PartyId rim = order_.back();
    for (std::size_t k = begin; k < order_.size(); ++k) placed_[order_[k]] = false;
    order_.resize(begin);
    walk(rim);
  }

  void walk(PartyId first) {
    placed_[first] = true;
    order_.push_back(first);
    for (std::size_t next = order_.size() - 1; next < order_.size(); ++next) {
      const std::size_t begin = order_.size();
      for (const PartyId neighbour : graph_.neighbours(order_[next])) {
        if (placed_[neighbour]) continue;
        placed_[neighbour] = true;
        order_.push_back(neighbour);
      }
      std::ranges::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.end(),
                               {}, [&](PartyId party) { return graph_.degree(party); });
    }
  }

  const Graph& graph_;
  std::vector<bool> placed_;
  std::vector<PartyId> order_;
};

}  // namespace

std::vector<PartyId> reverse_cuthill_mckee(const Graph& graph) {
  return CuthillMcKee(graph).take();
}

std::size_t bandwidth(const Graph& graph, std::span<const PartyId> order) {
  check(order.size() == graph.size(), "an order of all parties");
  std::vector<std::size_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  std::size_t widest = 0;
  for (const auto& [a, b] : graph.edges()) {
    widest = std::max(widest, place[a] > place[b] ? place[a] - place[b] : place[b] - place[a]);
  }
  return widest;
}

Owners owners_by_order(const Graph& graph, std::size_t ranks) {
  check(ranks >= 1 && ranks <= graph.size(), "a party for every rank");
  const auto order = reverse_cuthill_mckee(graph);
  Owners owners(graph.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    owners[order[k]] = static_cast<std::uint32_t>(sharer_of(k, order.size(), ranks));
  }
  return owners;
}

}  // namespace sotto
