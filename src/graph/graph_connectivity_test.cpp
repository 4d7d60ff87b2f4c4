#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "graph/graph.h"
#include "support/graphs.h"

namespace sotto {
namespace {

using testing::ElementsAre;

TEST(Components, AreNumberedInTheOrderOfTheirFirstMembers) {
  const Graph graph = *Graph::make(6, {{0, 3}, {2, 5}, {5, 1}});
  EXPECT_THAT(graph.components(), ElementsAre(0, 1, 1, 0, 2, 1));
  EXPECT_FALSE(graph.connected());
  EXPECT_TRUE(Graph::make(1, {})->connected());
}

TEST(RequireConnected, NamesTheParts) {
  EXPECT_TRUE(require_connected(*Graph::cycle(5)));
  const auto result = require_connected(*Graph::make(4, {{0, 1}, {2, 3}}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_string(),
            "error[E-graph-disconnected]: the graph falls into 2 parts: parties {1, 2} and {3, 4}; "
            "join the parts, for example by an edge between party 1 and party 3");
}

TEST(RequireConnected, AbbreviatesLargePartsAndMany) {
  std::vector<Edge> edges;
  for (PartyId i = 0; i + 1 < 20; ++i) edges.push_back({i, i + 1});
  const auto result = require_connected(*Graph::make(25, edges));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what,
            "the graph falls into 6 parts: parties {1, 2, 3, 4, 5, 6 and 14 more}, {21}, {22} "
            "and 3 more");
}

TEST(Diameter, OfKnownTopologies) {
  EXPECT_EQ(Graph::make(1, {})->diameter(), 0u);
  EXPECT_EQ(Graph::path(2)->diameter(), 1u);
  EXPECT_EQ(Graph::cycle(10)->diameter(), 5u);
  EXPECT_EQ(Graph::cycle(251)->diameter(), 125u);
  EXPECT_EQ(Graph::path(300)->diameter(), 299u);
  EXPECT_EQ(Graph::star(200)->diameter(), 2u);
  EXPECT_EQ(Graph::complete(130)->diameter(), 1u);
  EXPECT_EQ(Graph::grid(12)->diameter(), 5u);
  EXPECT_EQ(Graph::petersen().diameter(), 2u);
  EXPECT_EQ(Graph::cycle(2000)->diameter(), 1000u);
}

RC_GTEST_PROP(Diameter, IsThatOfFloydAndWarshall, (std::uint64_t seed)) {
  const auto size = any_of<std::size_t>(1, 90);
  const Graph graph = random_graph(size, any_of<std::uint64_t>(3, 40), seed);
  constexpr std::size_t kFar = 1'000'000;
  std::vector<std::vector<std::size_t>> distance(size, std::vector<std::size_t>(size, kFar));
  for (std::size_t i = 0; i < size; ++i) distance[i][i] = 0;
  for (const auto& [a, b] : graph.edges()) distance[a][b] = distance[b][a] = 1;
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
      }
    }
  }
  std::size_t longest = 0;
  for (const auto& row : distance) longest = std::max(longest, std::ranges::max(row));
  RC_CLASSIFY(longest < kFar, "connected");
  RC_ASSERT(graph.connected() == (longest < kFar));
  if (graph.connected()) RC_ASSERT(graph.diameter() == longest);
}

}  // namespace
}  // namespace sotto
