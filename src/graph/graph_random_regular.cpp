#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/random.h"
#include "graph/graph_draws.h"
#include "graph/graph_hamiltonian.h"
#include "graph/rows.h"

// Random regular graphs by the pairing (configuration) model: every party puts
// `degree` points into an urn, points are drawn in pairs, each pair is an edge
// (Bollobás 1980). Drawn until the graph is simple, that is uniform, but takes about
// exp((d²−1)/4) draws: hopeless for d = 10. So loops and double edges are repaired by
// random switches in place of a new draw, and the bias of that is washed out by more
// switches, whose chain is uniform in the limit and mixes fast (Cooper, Dyer,
// Greenhill 2007). Nothing about privacy rests on uniformity: the graph is public and
// its spectrum is computed.
namespace sotto {
namespace {

using graphs::bad_degree;

// Keeps the graph's draws apart from those of parties and trials with the same seed.
constexpr std::uint64_t kGraphStream = 0x6772617068;
constexpr int kMaxDraws = 10'000;
constexpr int kMaxRepairsPerEdge = 1'000;
constexpr std::size_t kMixingPerEdge = 10;
constexpr std::size_t kMaxFewEdges = 10'000'000;

// Which pairs of parties are joined: a bit for each, since every switch asks twice.
class PairSet {
 public:
  explicit PairSet(std::size_t parties) : parties_(parties), bits_(parties * parties, false) {}
  [[nodiscard]] bool contains(Edge edge) const { return bits_[place(edge)]; }
  void insert(Edge edge) { bits_[place(edge)] = true; }
  void erase(Edge edge) { bits_[place(edge)] = false; }

 private:
  [[nodiscard]] std::size_t place(Edge edge) const {
    return std::min(edge.a, edge.b) * parties_ + std::max(edge.a, edge.b);
  }
  std::size_t parties_;
  std::vector<bool> bits_;
};

void shuffle(std::vector<PartyId>& items, RandomSource& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

std::vector<Edge> draw_pairing(std::size_t parties, std::size_t degree, RandomSource& random) {
  std::vector<PartyId> points;
  points.reserve(parties * degree);
  for (std::size_t i = 0; i < parties; ++i) points.insert(points.end(), degree, PartyId(i));
  shuffle(points, random);
  std::vector<Edge> edges;
  edges.reserve(points.size() / 2);
  for (std::size_t i = 0; i < points.size(); i += 2) edges.push_back({points[i], points[i + 1]});
  return edges;
}

// Edges, some of them bad (loops, or doubles of others), under random switches: edges
// ab and cd become ac and bd, where that makes nothing bad. Degrees stay as they are.
class Switching {
 public:
  Switching(std::size_t parties, std::vector<Edge> edges, RandomSource& random)
      : edges_(std::move(edges)), good_(edges_.size(), false), present_(parties), random_(random) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].a == edges_[i].b || present_.contains(edges_[i])) continue;
      present_.insert(edges_[i]);
      good_[i] = true;
    }
  }

  // Switches bad edges with good ones until there are none. False if it got stuck.
  bool repair() {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      for (int tries = 0; !good_[i]; ++tries) {
        if (tries == kMaxRepairsPerEdge) return false;
        attempt(i);
      }
    }
    return true;
  }

  void mix() {
    for (std::size_t step = 0; step < kMixingPerEdge * edges_.size(); ++step) {
      attempt(random_.below(edges_.size()));
    }
  }

  std::vector<Edge> edges() && { return std::move(edges_); }

 private:
  void attempt(std::size_t i) {
    const std::size_t j = random_.below(edges_.size());
    if (!good_[j] || i == j) return;
    const auto [a, b] = edges_[i];
    auto [c, d] = edges_[j];
    if (random_.below(2) == 1) std::swap(c, d);
    const Edge first{a, c};
    const Edge second{b, d};
    if (a == c || b == d || present_.contains(first) || present_.contains(second)) return;
    if (good_[i]) present_.erase(edges_[i]);
    present_.erase(edges_[j]);
    present_.insert(first);
    present_.insert(second);
    edges_[i] = first;
    edges_[j] = second;
    good_[i] = true;
  }

  std::vector<Edge> edges_;
  std::vector<bool> good_;
  PairSet present_;
  RandomSource& random_;
};

// Any regular simple graph, connected or not.
std::vector<Edge> draw_regular(std::size_t parties, std::size_t degree, RandomSource& random) {
  for (int draw = 0; draw < kMaxDraws; ++draw) {
    Switching switching(parties, draw_pairing(parties, degree, random), random);
    if (!switching.repair()) continue;
    switching.mix();
    return std::move(switching).edges();
  }
  check(false, "switches repair a pairing within so many draws");
  return {};
}

std::vector<Edge> draw_hamiltonian_cycle(std::size_t parties, RandomSource& random) {
  std::vector<PartyId> order(parties);
  std::iota(order.begin(), order.end(), PartyId{0});
  shuffle(order, random);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < parties; ++i) edges.push_back({order[i], order[(i + 1) % parties]});
  return edges;
}

std::vector<Edge> complement(std::size_t parties, const std::vector<Edge>& edges) {
  PairSet absent(parties);
  for (const Edge& edge : edges) absent.insert(edge);
  std::vector<Edge> rest;
  for (PartyId a = 0; a < parties; ++a) {
    for (PartyId b = a + 1; b < parties; ++b) {
      if (!absent.contains({a, b})) rest.push_back({a, b});
    }
  }
  return rest;
}

Result<void> require_degree(std::size_t parties, std::size_t degree) {
  if (parties < 2 || parties > kMaxParties) {
    return bad_input("E-graph-parties",
                     fmt::format("a random regular graph of {} parties", parties),
                     fmt::format("from 2 to {} parties", kMaxParties));
  }
  const std::size_t least = parties == 2 ? 1 : 2;
  if (degree < least || degree >= parties) {
    return bad_degree(
        parties, degree, degree < least ? "too few to be connected" : "more than there are others",
        least == parties - 1 ? fmt::format("a degree of {}", least)
                             : fmt::format("a degree from {} to {}", least, parties - 1));
  }
  if (parties % 2 == 1 && degree % 2 == 1) {
    const std::string even = degree + 1 < parties ? fmt::format("{} or {}", degree - 1, degree + 1)
                                                  : fmt::format("{}", degree - 1);
    return bad_degree(parties, degree, "an odd number of ends cannot be paired",
                      fmt::format("a degree of {}, or an even number of parties", even));
  }
  // Above, pairs are no longer looked up in a table.
  const bool many = parties > kMaxNamedParties;
  const std::size_t most_edges = many ? kMaxEdges : kMaxFewEdges;
  const std::size_t most =
      std::min(2 * most_edges / parties, many ? graphs::kMaxManyDegree : parties - 1);
  if (degree > most) {
    return bad_degree(parties, degree,
                      degree * parties / 2 > most_edges
                          ? fmt::format("more than {} edges", most_edges)
                          : "too many for so many parties",
                      fmt::format("a degree of at most {}", most));
  }
  return {};
}

}  // namespace

Result<Graph> Graph::random_regular(std::size_t parties, std::size_t degree, std::uint64_t seed) {
  SOTTO_TRY(require_degree(parties, degree));
  if (parties > kMaxNamedParties) {
    // Switches might take the only ways from one part to another, as good as never.
    for (std::uint64_t draw = 0; draw < graphs::kMaxGraphDraws; ++draw) {
      Graph graph = of_rows(Topology::kRandomRegular,
                            graphs::random_cycles(parties, degree, graphs::mixed(seed) + draw));
      if (graph.connected()) return graph;
    }
    check(false, "random cycles are connected within so many draws");
  }
  SeededRandom random(seed, kGraphStream);
  for (int draw = 0; draw < kMaxDraws; ++draw) {
    std::vector<Edge> edges;
    if (2 * degree > parties - 1) {
      // Switches would get stuck in a dense graph: draw the edges that are missing.
      edges = complement(parties, draw_regular(parties, parties - 1 - degree, random));
    } else if (degree == 2) {
      // A connected one is a single cycle, which a pairing almost never is.
      edges = draw_hamiltonian_cycle(parties, random);
    } else {
      edges = draw_regular(parties, degree, random);
    }
    Graph graph = trusted(Topology::kRandomRegular, parties, edges);
    if (graph.connected()) return graph;
  }
  check(false, "a random regular graph is connected within so many draws");
  return bad_degree(parties, degree, "none was found that is connected", "another degree");
}

}  // namespace sotto
