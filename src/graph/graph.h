#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto {

// A party is named by its place in the study, from 0. What people read counts
// from 1: PartyId 2 is "party 3" in every message.
using PartyId = std::uint32_t;

inline constexpr std::size_t kMaxParties = 10'000;
inline constexpr std::size_t kMaxEdges = 10'000'000;  // a complete graph of 4472 parties

struct Edge {
  PartyId a = 0;  // a < b
  PartyId b = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// What kind of graph was asked for. Known kinds have spectra in closed form.
enum class Topology { kCycle, kPath, kStar, kComplete, kGrid, kPetersen, kRandomRegular, kEdges };

[[nodiscard]] std::string to_string(Topology topology);
[[nodiscard]] std::optional<Topology> topology_from(std::string_view name);

// An undirected graph without loops or parallel edges. Not necessarily connected:
// a coalition may have been taken out of it. Immutable.
class Graph {
 public:
  // Any order and orientation; refuses loops, duplicates and unknown parties.
  // A single party is a graph too: it may be all that a coalition leaves over.
  [[nodiscard]] static Result<Graph> make(std::size_t parties, std::vector<Edge> edges);

  [[nodiscard]] static Result<Graph> cycle(std::size_t parties);     // ≥ 3
  [[nodiscard]] static Result<Graph> path(std::size_t parties);      // ≥ 2
  [[nodiscard]] static Result<Graph> star(std::size_t parties);      // ≥ 2, party 0 in the middle
  [[nodiscard]] static Result<Graph> complete(std::size_t parties);  // ≥ 2
  // The most nearly square rows × columns with rows ≥ 2; refuses primes. Row by row.
  [[nodiscard]] static Result<Graph> grid(std::size_t parties);
  [[nodiscard]] static Graph petersen();
  // Connected and simple, by the pairing model with repair (graph_random_regular.cpp says
  // how near it is to uniform); the same for the same seed.
  [[nodiscard]] static Result<Graph> random_regular(std::size_t parties, std::size_t degree,
                                                    std::uint64_t seed);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }  // sorted
  [[nodiscard]] Topology topology() const { return topology_; }
  [[nodiscard]] std::span<const PartyId> neighbours(PartyId party) const;  // ascending
  // For each neighbour, in the same order, the index of the edge that leads to it.
  [[nodiscard]] std::span<const std::uint32_t> incident_edges(PartyId party) const;
  [[nodiscard]] std::size_t degree(PartyId party) const { return neighbours(party).size(); }
  [[nodiscard]] std::size_t max_degree() const;
  [[nodiscard]] bool connected() const;  // a single party is
  // Each party's component, numbered from 0 in the order of their first members.
  [[nodiscard]] std::vector<std::uint32_t> components() const;
  // Longest shortest path. Precondition: connected.
  [[nodiscard]] std::size_t diameter() const;

  // The graph of some parties, at least one, ascending: party k of it is members[k]. Of all
  // parties, the graph itself.
  [[nodiscard]] Graph restricted_to(std::span<const PartyId> members) const;
  // The edges that it keeps: indices into edges(), in the order of its own.
  [[nodiscard]] std::vector<std::uint32_t> edges_among(std::span<const PartyId> members) const;
  // Who is left without these parties, ascending.
  [[nodiscard]] std::vector<PartyId> all_but(std::span<const PartyId> parties) const;

 private:
  Graph() = default;
  // Of edges that are right by construction.
  [[nodiscard]] static Graph trusted(Topology topology, std::size_t parties,
                                     std::vector<Edge> edges);
  Topology topology_ = Topology::kEdges;
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_;  // neighbours of i: adjacent_[first_[i] .. first_[i+1])
  std::vector<PartyId> adjacent_;
  std::vector<std::uint32_t> adjacent_edge_;
};

// Rows of Graph::grid: the largest divisor of `parties` that is at most its square
// root; 1 for primes.
[[nodiscard]] std::size_t grid_rows(std::size_t parties);

// The parties at distance 0, 1, 2, … from one party, by breadth-first search, computed as
// far as they are asked for.
class DistanceLevels {
 public:
  // `graph` outlives this.
  DistanceLevels(const Graph& graph, PartyId centre);

  // Ascending; empty beyond the farthest party.
  [[nodiscard]] const std::vector<PartyId>& at(std::size_t distance);

 private:
  const Graph& graph_;
  std::vector<bool> reached_;
  std::vector<std::vector<PartyId>> levels_;
};

// Each party's distance from one; graph.size(), which is more than any, if there is no way.
[[nodiscard]] std::vector<std::uint32_t> distances(const Graph& graph, PartyId from);

// The error every command gives for a graph that is not in one piece: names the pieces.
[[nodiscard]] Result<void> require_connected(const Graph& graph);

// Whether some set of at most t = `parties_removed` parties separates the rest; names
// such a set if there is one, ascending (the empty set if the graph is not connected).
// Graphs in which no set of that size can separate anything (complete graphs) give
// nothing. O((n + t²)·t) searches of the graph, most of them short.
[[nodiscard]] std::optional<std::vector<PartyId>> find_cut(const Graph& graph,
                                                           std::size_t parties_removed);

}  // namespace sotto
