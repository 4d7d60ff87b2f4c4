#include "graph/ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace sotto {
namespace {

// The same graph under numbers that say nothing.
Graph renamed(const Graph& graph, std::uint64_t seed) {
  std::vector<PartyId> name(graph.size());
  std::iota(name.begin(), name.end(), 0U);
  SeededRandom random(seed);
  std::ranges::shuffle(name, random);
  std::vector<Edge> edges;
  for (const auto& [a, b] : graph.edges()) edges.push_back({name[a], name[b]});
  return *Graph::make(graph.size(), std::move(edges));
}

TEST(Ordering, NamesEveryPartyOnceAlsoInPieces) {
  const Graph pieces = *Graph::make(7, {{0, 3}, {3, 6}, {1, 2}});
  for (const Graph& graph : {pieces, *Graph::star(9), Graph::petersen()}) {
    auto order = reverse_cuthill_mckee(graph);
    std::ranges::sort(order);
    std::vector<PartyId> all(graph.size());
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(order, all);
  }
}

TEST(Ordering, FindsThePathTheCycleAndTheGridBehindAnyNames) {
  EXPECT_EQ(bandwidth(renamed(*Graph::path(500), 1),
                      reverse_cuthill_mckee(renamed(*Graph::path(500), 1))),
            1U);
  EXPECT_EQ(bandwidth(renamed(*Graph::cycle(500), 2),
                      reverse_cuthill_mckee(renamed(*Graph::cycle(500), 2))),
            2U);
  const Graph grid = renamed(*Graph::grid(400), 3);
  EXPECT_LE(bandwidth(grid, reverse_cuthill_mckee(grid)), 22U);
  std::vector<PartyId> as_named(grid.size());
  std::iota(as_named.begin(), as_named.end(), 0U);
  EXPECT_GT(bandwidth(grid, as_named), 300U);
}

}  // namespace
}  // namespace sotto
