#include "graph/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "base/words.h"

// What a graph is made of, checked once, and its parts.
namespace sotto {
namespace {

constexpr std::array<std::pair<Topology, std::string_view>, 8> kTopologyNames{{
    {Topology::kCycle, "cycle"},
    {Topology::kPath, "path"},
    {Topology::kStar, "star"},
    {Topology::kComplete, "complete"},
    {Topology::kGrid, "grid"},
    {Topology::kPetersen, "petersen"},
    {Topology::kRandomRegular, "random-regular"},
    {Topology::kEdges, "edges"},
}};

// People count from 1. A PartyId that wrapped around below 0 reads as party 0.
PartyId spoken(PartyId party) {
  return party + 1;
}

std::string list_position(std::size_t index) {
  return fmt::format("edge {}", index + 1);
}

Error duplicate_edge(const std::vector<Edge>& as_given, Edge twice) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < as_given.size(); ++i) {
    if (as_given[i] == twice) at.push_back(i);
  }
  return bad_input("E-graph-edge",
                   fmt::format("{} and {} both join party {} and party {}", list_position(at[0]),
                               list_position(at[1]), spoken(twice.a), spoken(twice.b)),
                   "name each pair of neighbours once, in either order");
}

}  // namespace

std::string to_string(Topology topology) {
  for (const auto& [kind, name] : kTopologyNames) {
    if (kind == topology) return std::string(name);
  }
  return "edges";
}

std::optional<Topology> topology_from(std::string_view name) {
  for (const auto& [kind, known] : kTopologyNames) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

Result<Graph> Graph::make(std::size_t parties, std::vector<Edge> edges) {
  if (parties < 1 || parties > kMaxParties) {
    return bad_input("E-graph-parties",
                     fmt::format("a graph of {}", counted(parties, "party", "parties")),
                     fmt::format("from 1 to {} parties", kMaxParties));
  }
  if (edges.size() > kMaxEdges) {
    return bad_input("E-graph-parties", fmt::format("a graph of {} edges", edges.size()),
                     fmt::format("at most {} edges", kMaxEdges));
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    auto& [a, b] = edges[i];
    for (const PartyId end : {a, b}) {
      if (end >= parties) {
        return bad_input("E-graph-edge",
                         fmt::format("{} (party {} to party {}) names party {}, and there is none",
                                     list_position(i), spoken(a), spoken(b), spoken(end)),
                         fmt::format("parties are numbered from 1 to {}", parties));
      }
    }
    if (a == b) {
      return bad_input("E-graph-edge",
                       fmt::format("{} joins party {} to itself", list_position(i), spoken(a)),
                       "an edge joins two different parties");
    }
    if (a > b) std::swap(a, b);
  }

  Graph graph;
  graph.edges_ = edges;
  std::ranges::sort(graph.edges_);
  if (const auto twice = std::ranges::adjacent_find(graph.edges_); twice != graph.edges_.end()) {
    return duplicate_edge(edges, *twice);
  }

  graph.first_.assign(parties + 1, 0);
  for (const auto& [a, b] : graph.edges_) {
    ++graph.first_[a + 1];
    ++graph.first_[b + 1];
  }
  std::inclusive_scan(graph.first_.begin(), graph.first_.end(), graph.first_.begin());
  graph.adjacent_.resize(2 * graph.edges_.size());
  graph.adjacent_edge_.resize(2 * graph.edges_.size());
  // Edges come sorted, and every party's lower neighbours are placed in a first
  // pass and its higher ones in a second: so each list comes out ascending.
  std::vector<std::size_t> next(graph.first_.begin(), graph.first_.end() - 1);
  const auto place = [&](PartyId at, PartyId neighbour, std::size_t edge) {
    graph.adjacent_[next[at]] = neighbour;
    graph.adjacent_edge_[next[at]++] = static_cast<std::uint32_t>(edge);
  };
  const std::size_t count = graph.edges_.size();
  for (std::size_t e = 0; e < count; ++e) place(graph.edges_[e].b, graph.edges_[e].a, e);
  for (std::size_t e = 0; e < count; ++e) place(graph.edges_[e].a, graph.edges_[e].b, e);
  return graph;
}

std::span<const PartyId> Graph::neighbours(PartyId party) const {
  return std::span(adjacent_).subspan(first_[party], first_[party + 1] - first_[party]);
}

std::span<const std::uint32_t> Graph::incident_edges(PartyId party) const {
  return std::span(adjacent_edge_).subspan(first_[party], first_[party + 1] - first_[party]);
}

std::size_t Graph::max_degree() const {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < size(); ++i) largest = std::max(largest, first_[i + 1] - first_[i]);
  return largest;
}

std::vector<PartyId> Graph::all_but(std::span<const PartyId> parties) const {
  std::vector<bool> gone(size(), false);
  for (const PartyId party : parties) {
    check(party < size(), "who is taken out of a graph is in it");
    gone[party] = true;
  }
  std::vector<PartyId> left;
  for (PartyId party = 0; party < size(); ++party) {
    if (!gone[party]) left.push_back(party);
  }
  return left;
}

std::vector<std::uint32_t> Graph::edges_among(std::span<const PartyId> members) const {
  std::vector<bool> member(size(), false);
  for (const PartyId party : members) member[party] = true;
  std::vector<std::uint32_t> among;
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    if (member[edges_[e].a] && member[edges_[e].b]) among.push_back(e);
  }
  return among;
}

Graph Graph::restricted_to(std::span<const PartyId> members) const {
  check(!members.empty() && members.back() < size() &&
            std::ranges::adjacent_find(members, std::greater_equal{}) == members.end(),
        "members are parties of the graph, ascending");
  if (members.size() == size()) return *this;
  std::vector<PartyId> place(size());
  for (std::size_t k = 0; k < members.size(); ++k) place[members[k]] = static_cast<PartyId>(k);
  // Places keep the parties' order, so the edges stay sorted.
  std::vector<Edge> edges;
  for (const std::uint32_t e : edges_among(members)) {
    edges.push_back({place[edges_[e].a], place[edges_[e].b]});
  }
  return trusted(Topology::kEdges, members.size(), std::move(edges));
}

}  // namespace sotto
