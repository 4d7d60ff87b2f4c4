#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto {

// A party is named by its place in the study, from 0. What people read counts
// from 1: PartyId 2 is "party 3" in every message.
using PartyId = std::uint32_t;

inline constexpr std::size_t kMaxParties = 10'000'000;
inline constexpr std::size_t kMaxEdges = 100'000'000;
// Who is named one by one, meets on a network, or is looked at pair by pair.
inline constexpr std::size_t kMaxNamedParties = 10'000;

struct Edge {
  PartyId a = 0;  // a < b
  PartyId b = 0;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// What kind of graph was asked for. Known kinds have spectra in closed form. What programs add gets
// the numbers after the last (topologies.h).
enum class Topology {
  kCycle,
  kPath,
  kStar,
  kComplete,
  kGrid,
  kTorus,
  kBase,
  kPetersen,
  kRandomRegular,
  kErdosRenyi,
  kSmallWorld,
  kEdges,
  kFile,
};

[[nodiscard]] std::string to_string(Topology topology);
[[nodiscard]] std::optional<Topology> topology_from(std::string_view name);

namespace graphs {
struct Rows;
struct SpectrumCache;
}  // namespace graphs

// An undirected graph without loops or parallel edges. Not necessarily connected:
// a coalition may have been taken out of it. Immutable, and copies share what it is made of.
class Graph {
 public:
  // Any order and orientation; refuses loops, duplicates and unknown parties.
  // A single party is a graph too: it may be all that a coalition leaves over. `topology` is one
  // that nothing is known of but its edges.
  [[nodiscard]] static Result<Graph> make(std::size_t parties, std::vector<Edge> edges,
                                          Topology topology = Topology::kEdges);

  [[nodiscard]] static Result<Graph> cycle(std::size_t parties);     // ≥ 3
  [[nodiscard]] static Result<Graph> path(std::size_t parties);      // ≥ 2
  [[nodiscard]] static Result<Graph> star(std::size_t parties);      // ≥ 2, party 0 in the middle
  [[nodiscard]] static Result<Graph> complete(std::size_t parties);  // ≥ 2
  // The most nearly square rows × columns with rows ≥ 2; refuses primes. Row by row.
  [[nodiscard]] static Result<Graph> grid(std::size_t parties);
  // The same with rows ≥ 3 whose ends are joined: everybody has four neighbours.
  [[nodiscard]] static Result<Graph> torus(std::size_t parties);
  // All that a base-(k+1) sequence ever joins, k + 1 = `base`: parties are numbers in mixed base,
  // of as few digits as go up to `base`, and neighbours differ in one digit (graph_base.cpp).
  [[nodiscard]] static Result<Graph> base(std::size_t parties, std::size_t base);
  [[nodiscard]] static Graph petersen();

  // Drawn from a seed: the same for the same seed, whatever the number of threads; connected.
  // By the pairing model with repair (graph_random_regular.cpp says how near it is to uniform),
  // above kMaxNamedParties from random cycles through all parties (graph_hamiltonian.cpp).
  [[nodiscard]] static Result<Graph> random_regular(std::size_t parties, std::size_t degree,
                                                    std::uint64_t seed);
  // parties·degree/2 edges, rounded down, drawn among all pairs (Erdős, Rényi 1959).
  [[nodiscard]] static Result<Graph> erdos_renyi(std::size_t parties, std::size_t degree,
                                                 std::uint64_t seed);
  // A ring in which everybody knows the degree/2 next on either side, and each edge's far end is
  // drawn anew with probability `rewire` (Watts, Strogatz 1998).
  [[nodiscard]] static Result<Graph> small_world(std::size_t parties, std::size_t degree,
                                                 double rewire, std::uint64_t seed);

  // Of a list in a file (graph_file.cpp says how it is written). `stated`: how many parties there
  // must be; without, as many as its largest number. Errors say the line.
  [[nodiscard]] static Result<Graph> from_file(const std::string& path,
                                               std::optional<std::size_t> stated);
  // The same of text; `name` stands for the file in errors.
  [[nodiscard]] static Result<Graph> from_list(std::string_view text, const std::string& name,
                                               std::optional<std::size_t> stated);

  [[nodiscard]] std::size_t size() const { return shape_->first.size() - 1; }
  [[nodiscard]] std::span<const Edge> edges() const { return shape_->edges; }  // sorted
  [[nodiscard]] Topology topology() const { return topology_; }
  // Of a kBase graph: how many values each digit has, largest first.
  [[nodiscard]] std::span<const std::uint32_t> digits() const { return digits_; }
  [[nodiscard]] std::span<const PartyId> neighbours(PartyId party) const;  // ascending
  // For each neighbour, in the same order, the index of the edge that leads to it.
  [[nodiscard]] std::span<const std::uint32_t> incident_edges(PartyId party) const;
  [[nodiscard]] std::size_t degree(PartyId party) const { return neighbours(party).size(); }
  [[nodiscard]] std::size_t max_degree() const;
  [[nodiscard]] bool connected() const;  // a single party is
  // Each party's component, numbered from 0 in the order of their first members.
  [[nodiscard]] std::vector<std::uint32_t> components() const;
  // Longest shortest path; above kMaxNamedParties, where no formula says it, a number of steps in
  // which everybody reaches everybody, at most twice that. Precondition: connected.
  [[nodiscard]] std::size_t diameter() const;

  // The graph of some parties, at least one, ascending: party k of it is members[k]. Of all
  // parties, the graph itself.
  [[nodiscard]] Graph restricted_to(std::span<const PartyId> members) const;
  // The edges that it keeps: indices into edges(), in the order of its own.
  [[nodiscard]] std::vector<std::uint32_t> edges_among(std::span<const PartyId> members) const;
  // Who is left without these parties, ascending.
  [[nodiscard]] std::vector<PartyId> all_but(std::span<const PartyId> parties) const;

  // What has been proven of its spectrum so far, for all copies: spectrum_bounds.cpp keeps it.
  [[nodiscard]] graphs::SpectrumCache& spectrum_cache() const { return *shape_->spectrum; }

 private:
  struct Shape {
    std::vector<Edge> edges;
    std::vector<std::size_t> first;  // neighbours of i: adjacent[first[i] .. first[i+1])
    std::vector<PartyId> adjacent;
    std::vector<std::uint32_t> adjacent_edge;
    std::shared_ptr<graphs::SpectrumCache> spectrum;  // spectrum_bounds.cpp fills it
  };
  Graph() = default;
  // Of edges that are right by construction.
  [[nodiscard]] static Graph trusted(Topology topology, std::size_t parties,
                                     std::span<const Edge> edges);
  // Of everybody's neighbours, ascending, without loops or doubles, each edge at both its ends.
  [[nodiscard]] static Graph of_rows(Topology topology, graphs::Rows rows);

  Topology topology_ = Topology::kEdges;
  std::vector<std::uint32_t> digits_;
  std::shared_ptr<const Shape> shape_;
};

// Rows of Graph::grid: the largest divisor of `parties` that is at most its square
// root; 1 for primes.
[[nodiscard]] std::size_t grid_rows(std::size_t parties);
// How many values each digit of Graph::base has: as few digits as there can be with none above
// `base`, largest first; none if a prime factor of `parties` is larger.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> base_digits(std::size_t parties,
                                                                    std::size_t base);

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

// A number of steps in which everybody reaches everybody by way of one party: from the middle of a
// long way, at most twice the diameter. Precondition: connected.
[[nodiscard]] std::size_t steps_by_way_of_one(const Graph& graph);

// The error every command gives for a graph that is not in one piece: names the pieces.
[[nodiscard]] Result<void> require_connected(const Graph& graph);

// Whether some set of at most t = `parties_removed` parties separates the rest; names
// such a set if there is one, ascending (the empty set if the graph is not connected).
// Graphs in which no set of that size can separate anything (complete graphs) give
// nothing. One search for t = 1, O((n + t²)·t) otherwise, most of them short.
[[nodiscard]] std::optional<std::vector<PartyId>> find_cut(const Graph& graph,
                                                           std::size_t parties_removed);

}  // namespace sotto
