#pragma once

#include "base/ranks.h"
#include "graph/ordering.h"
#include "graph/weights.h"
#include "privacy/trial_seal.h"
#include "simulate/round_graph.h"

namespace sotto {

// What one rank of several has of a network: its own parties at places that suit the memory, those
// without neighbours elsewhere first, and room for the rows of the others' that it needs. Every
// rank has the whole graph, so nobody has to be asked; what takes memory is rows, and these are
// divided.
class NetworkPart {
 public:
  NetworkPart(const Weights& weights, const Owners& owners, Ranks& ranks);

  [[nodiscard]] Ranks& ranks() const { return *ranks_; }
  [[nodiscard]] std::size_t network_size() const { return owners_.size(); }
  [[nodiscard]] std::span<const PartyId> own() const { return own_; }  // by place
  // Their places in the order of their numbers.
  [[nodiscard]] std::span<const std::uint32_t> by_number() const { return by_number_; }
  [[nodiscard]] std::span<const std::uint32_t> owners() const { return owners_; }
  [[nodiscard]] const RoundGraph& graph() const { return graph_; }
  [[nodiscard]] RowExchange& halo() { return halo_; }
  [[nodiscard]] SealPart seal() const { return {.ranks = *ranks_, .own = own_, .owners = owners_}; }

  // Values of `width` numbers for each party: of an equal share in the order of their numbers, as
  // sums are added up (share_of), and of the own ones at their places.
  [[nodiscard]] std::vector<double> from_shares(std::span<const double> values,
                                                std::size_t width) const;
  [[nodiscard]] std::vector<double> to_shares(std::span<const double> values,
                                              std::size_t width) const;

 private:
  struct Places {
    std::vector<PartyId> own;
    std::size_t interior = 0;
    std::vector<PartyId> halo;
    std::vector<RowExchange::Peer> peers;
  };
  NetworkPart(const Weights& weights, const Owners& owners, Ranks& ranks, Places places);
  [[nodiscard]] static Places places_of(const Graph& graph, const Owners& owners, Ranks& ranks);

  Ranks* ranks_;
  Owners owners_;
  std::vector<PartyId> own_;
  std::vector<std::uint32_t> by_number_;
  RoundGraph graph_;
  RowExchange halo_;
};

}  // namespace sotto
