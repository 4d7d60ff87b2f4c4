#include "graph/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "base/words.h"
#include "graph/rows.h"
#include "graph/spectrum_bounds.h"

// What a graph is made of, checked once, and its parts.
namespace sotto {
namespace {

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

Result<Graph> Graph::make(std::size_t parties, std::vector<Edge> edges, Topology topology) {
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

  graphs::Rows rows = graphs::rows_of(parties, edges);
  if (const auto twice = graphs::first_double(rows)) return duplicate_edge(edges, *twice);
  return of_rows(topology, std::move(rows));
}

Graph Graph::trusted(Topology topology, std::size_t parties, std::span<const Edge> edges) {
  graphs::Rows rows = graphs::rows_of(parties, edges);
  check(!graphs::first_double(rows), "edges that are right by construction make a graph");
  return of_rows(topology, std::move(rows));
}

// Edges are numbered by their smaller end, so that everybody's higher neighbours are in order
// already, and an edge's number is found at its smaller end.
Graph Graph::of_rows(Topology topology, graphs::Rows rows) {
  const std::size_t parties = rows.size();
  std::vector<std::uint32_t> lower(parties);        // how many neighbours are before a party
  std::vector<std::uint32_t> from(parties + 1, 0);  // the first of its edges to later ones
  for (PartyId i = 0; i < parties; ++i) {
    const auto around = rows.of(i);
    lower[i] = static_cast<std::uint32_t>(std::ranges::lower_bound(around, i) - around.begin());
    from[i + 1] = from[i] + static_cast<std::uint32_t>(around.size() - lower[i]);
  }
  auto shape = std::make_shared<Shape>();
  shape->edges.resize(from.back());
  shape->adjacent_edge.resize(rows.adjacent.size());
  graphs::for_blocks(parties, [&](std::size_t begin, std::size_t end) {
    for (std::size_t party = begin; party < end; ++party) {
      const auto i = static_cast<PartyId>(party);
      const auto around = std::as_const(rows).of(i);
      for (std::uint32_t k = 0; k < around.size(); ++k) {
        std::uint32_t edge = from[i] + k - lower[i];
        if (k < lower[i]) {
          const PartyId before = around[k];
          const auto theirs = std::as_const(rows).of(before);
          const auto place = std::ranges::lower_bound(theirs, i) - theirs.begin();
          edge = from[before] + static_cast<std::uint32_t>(place) - lower[before];
        } else {
          shape->edges[edge] = {i, around[k]};
        }
        shape->adjacent_edge[rows.first[i] + k] = edge;
      }
    }
  });
  shape->spectrum = std::make_shared<graphs::SpectrumCache>();
  shape->first = std::move(rows.first);
  shape->adjacent = std::move(rows.adjacent);
  Graph graph;
  graph.topology_ = topology;
  graph.shape_ = std::move(shape);
  return graph;
}

std::span<const PartyId> Graph::neighbours(PartyId party) const {
  const std::size_t first = shape_->first[party];
  return std::span(shape_->adjacent).subspan(first, shape_->first[party + 1] - first);
}

std::span<const std::uint32_t> Graph::incident_edges(PartyId party) const {
  const std::size_t first = shape_->first[party];
  return std::span(shape_->adjacent_edge).subspan(first, shape_->first[party + 1] - first);
}

std::size_t Graph::max_degree() const {
  std::size_t largest = 0;
  for (PartyId i = 0; i < size(); ++i) largest = std::max(largest, degree(i));
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
  for (std::uint32_t e = 0; e < edges().size(); ++e) {
    if (member[edges()[e].a] && member[edges()[e].b]) among.push_back(e);
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
  std::vector<Edge> edges;
  for (const std::uint32_t e : edges_among(members)) {
    edges.push_back({place[this->edges()[e].a], place[this->edges()[e].b]});
  }
  return trusted(Topology::kEdges, members.size(), edges);
}

}  // namespace sotto
