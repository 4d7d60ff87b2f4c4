#include <fmt/core.h>

#include <cmath>

#include "graph/graph_draws.h"
#include "graph/rows.h"

// Graphs whose edges are drawn one by one: Erdős and Rényi's, and Watts and Strogatz's. Each edge
// has numbers of its own to draw by; edges that come up twice draw again, those of larger numbers.
namespace sotto {
namespace {

using graphs::NumberedDraws;

Result<void> require_drawn(std::string_view kind, std::size_t parties, std::size_t degree) {
  if (parties < 3 || parties > kMaxParties) {
    return bad_input("E-graph-parties", fmt::format("a {} graph of {} parties", kind, parties),
                     fmt::format("from 3 to {} parties", kMaxParties));
  }
  if (degree < 2 || degree >= parties) {
    return graphs::bad_degree(parties, degree,
                              degree < 2 ? "too few to be connected" : "more than there are others",
                              fmt::format("a degree from 2 to {}", parties - 1));
  }
  if (degree > 2 * kMaxEdges / parties) {
    return graphs::bad_degree(parties, degree, fmt::format("more than {} edges", kMaxEdges),
                              fmt::format("a degree of at most {}", 2 * kMaxEdges / parties));
  }
  return {};
}

// Edge k of a graph, as drawn for the attempt-th time.
using Draw = std::function<Edge(std::uint64_t edge, std::uint64_t attempt)>;

// `count` different edges. Those that are loops, or that an edge before them has taken, draw again.
std::vector<Edge> different_edges(std::size_t count, const Draw& draw) {
  struct Drawn {
    Edge edge;
    std::uint32_t number;
    std::uint32_t attempt;
    auto operator<=>(const Drawn&) const = default;
  };
  const auto drawn = [&](std::size_t number, std::size_t attempt) {
    const Edge edge = draw(number, attempt);
    return Drawn{{std::min(edge.a, edge.b), std::max(edge.a, edge.b)},
                 static_cast<std::uint32_t>(number),
                 static_cast<std::uint32_t>(attempt)};
  };
  std::vector<Drawn> kept(count);
  graphs::for_blocks(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) kept[k] = drawn(k, 0);
  });
  std::ranges::sort(kept);
  while (true) {
    std::vector<Drawn> again;
    std::size_t good = 0;
    for (const Drawn& one : kept) {
      const bool taken = good > 0 && kept[good - 1].edge == one.edge;
      if (one.edge.a == one.edge.b || taken) {
        again.push_back(drawn(one.number, one.attempt + std::size_t{1}));
      } else {
        kept[good++] = one;
      }
    }
    if (again.empty()) break;
    std::ranges::sort(again);
    std::ranges::copy(again, kept.begin() + static_cast<std::ptrdiff_t>(good));
    std::ranges::inplace_merge(kept, kept.begin() + static_cast<std::ptrdiff_t>(good));
  }
  std::vector<Edge> edges(count);
  for (std::size_t k = 0; k < count; ++k) edges[k] = kept[k].edge;
  return edges;
}

}  // namespace

Result<Graph> Graph::erdos_renyi(std::size_t parties, std::size_t degree, std::uint64_t seed) {
  SOTTO_TRY(require_drawn("erdos-renyi", parties, degree));
  const std::size_t count = parties * degree / 2;
  if (2 * count > parties * (parties - 1) / 2) {
    return graphs::bad_degree(
        parties, degree, "more than half of all pairs",
        fmt::format("a degree of at most {}, or \"complete\"", (parties - 1) / 2));
  }
  for (std::uint64_t draw = 0; draw < graphs::kMaxGraphDraws; ++draw) {
    const NumberedDraws draws(seed, draw);
    const auto edge = [&](std::uint64_t k, std::uint64_t attempt) {
      const std::uint64_t number = 2 * (k + attempt * count);
      return Edge{static_cast<PartyId>(draws.below(parties, number)),
                  static_cast<PartyId>(draws.below(parties, number + 1))};
    };
    Graph graph = trusted(Topology::kErdosRenyi, parties, different_edges(count, edge));
    if (graph.connected()) return graph;
  }
  // Somebody has no neighbour with probability about n·e^−degree (Erdős, Rényi 1959).
  return graphs::bad_degree(
      parties, degree,
      fmt::format("{} draws all left somebody without neighbours", graphs::kMaxGraphDraws),
      fmt::format("a degree of at least {:.0f}, or \"random-regular\"",
                  std::ceil(std::log(static_cast<double>(parties)) + 3)));
}

Result<Graph> Graph::small_world(std::size_t parties, std::size_t degree, double rewire,
                                 std::uint64_t seed) {
  SOTTO_TRY(require_drawn("small-world", parties, degree));
  if (degree % 2 == 1 || 2 * degree > parties - 1) {
    return graphs::bad_degree(
        parties, degree,
        degree % 2 == 1 ? "as many are on either side of a ring" : "more than half of all others",
        fmt::format("an even degree from 2 to {}", (parties - 1) / 4 * 2));
  }
  if (!(rewire >= 0 && rewire <= 1)) {
    return bad_input("E-graph-rewire", fmt::format("edges drawn anew with probability {}", rewire),
                     "a probability from 0 to 1, for example 0.1");
  }
  constexpr double kWords = 0x1p64;
  const bool always = rewire == 1;
  const auto below = always ? 0 : static_cast<std::uint64_t>(rewire * kWords);
  const std::size_t side = degree / 2;
  const std::size_t count = parties * side;
  for (std::uint64_t draw = 0; draw < graphs::kMaxGraphDraws; ++draw) {
    const NumberedDraws draws(seed, draw);
    const auto edge = [&](std::uint64_t k, std::uint64_t attempt) {
      const std::uint64_t party = k / side;
      const std::uint64_t number = 2 * (k + attempt * count);
      // Whoever draws again has met an edge that is there.
      const bool anew = attempt > 0 || always || draws.word(number) < below;
      const std::uint64_t other =
          anew ? draws.below(parties, number + 1) : (party + 1 + k % side) % parties;
      return Edge{static_cast<PartyId>(party), static_cast<PartyId>(other)};
    };
    Graph graph = trusted(Topology::kSmallWorld, parties, different_edges(count, edge));
    if (graph.connected()) return graph;
  }
  return graphs::bad_degree(parties, degree,
                            fmt::format("{} draws all fell into pieces", graphs::kMaxGraphDraws),
                            "a higher degree, or a smaller rewire");
}

}  // namespace sotto
