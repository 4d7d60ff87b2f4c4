#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/weights.h"

// The graph as the rounds walk it: flat lists, parties at places that suit the memory.
namespace sotto {

// What a round reads of the graph. A place is where a party's row of numbers stands; who walks only
// a part of the network (a rank of several) has its own parties in the first places, one after the
// other, and copies of their neighbours' rows behind them. Neighbours come in the order of the
// parties' numbers, wherever they stand: the order of the additions is part of a result's bits.
struct RoundEdges {
  std::span<const std::uint64_t> first;      // neighbours of place i: [first[i], first[i + 1])
  std::span<const std::uint32_t> neighbour;  // places
  std::span<const double> weight;            // for each neighbour; empty: all weigh `uniform`
  double uniform = 0;
};

// All parties of a network at their places, or those that one rank of several has.
class RoundGraph {
 public:
  // Networks from `renumber_from` parties on are renumbered (graph/ordering.h); smaller ones stay
  // in the caches in any order.
  explicit RoundGraph(const Weights& weights, std::size_t renumber_from = kRenumberFrom);
  // order[place] is the party that stands there.
  RoundGraph(const Weights& weights, std::vector<PartyId> order);
  // A part: `own` parties at the first places, of which the first `interior` have no neighbours but
  // each other, and rows of the `halo` behind them. order() counts among `own`.
  RoundGraph(const Weights& weights, std::span<const PartyId> own, std::size_t interior,
             std::span<const PartyId> halo);

  static constexpr std::size_t kRenumberFrom = 1 << 13;

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] std::size_t interior() const { return interior_; }
  [[nodiscard]] std::size_t rows() const { return size() + halo_; }  // with the halo's
  [[nodiscard]] RoundEdges edges() const {
    return {.first = first_, .neighbour = neighbour_, .weight = weight_, .uniform = uniform_};
  }
  [[nodiscard]] std::span<const PartyId> order() const { return order_; }  // place → party
  [[nodiscard]] std::span<const std::uint32_t> places() const { return places_; }  // and back

 private:
  // Edges of `parties`, in their order, to the places that `place` says.
  void read(const Weights& weights, std::span<const PartyId> parties,
            std::span<const std::uint32_t> place);

  std::vector<PartyId> order_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> first_;
  std::vector<std::uint32_t> neighbour_;
  std::vector<double> weight_;
  double uniform_ = 0;
  std::size_t interior_ = 0;
  std::size_t halo_ = 0;
};

}  // namespace sotto
