#include "graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "support/graphs.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Graph, SortsEdgesWhateverTheirOrderAndOrientation) {
  const Graph graph = *Graph::make(4, {{3, 2}, {0, 1}, {2, 0}});
  EXPECT_THAT(graph.edges(), ElementsAre(Edge{0, 1}, Edge{0, 2}, Edge{2, 3}));
  EXPECT_THAT(graph.neighbours(2), ElementsAre(0, 3));
  EXPECT_THAT(graph.incident_edges(2), ElementsAre(1, 2));
  EXPECT_EQ(graph.max_degree(), 2u);
  EXPECT_EQ(graph.topology(), Topology::kEdges);
}

TEST(Graph, MayBeASingleParty) {
  const Graph graph = *Graph::make(1, {});
  EXPECT_EQ(graph.size(), 1u);
  EXPECT_EQ(graph.degree(0), 0u);
  EXPECT_EQ(graph.max_degree(), 0u);
}

TEST(Graph, RefusesALoopAndSaysWhichEdge) {
  const auto graph = Graph::make(3, {{0, 1}, {2, 2}});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().to_string(),
            "error[E-graph-edge]: edge 2 joins party 3 to itself; "
            "an edge joins two different parties");
}

TEST(Graph, RefusesADuplicateAndSaysWhichEdges) {
  const auto graph = Graph::make(4, {{1, 2}, {0, 1}, {3, 2}, {2, 1}});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().name, "E-graph-edge");
  EXPECT_EQ(graph.error().what, "edge 1 and edge 4 both join party 2 and party 3");
}

TEST(Graph, RefusesAnUnknownPartyAndSaysWhichThereAre) {
  const auto graph = Graph::make(4, {{1, 2}, {1, 4}});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().name, "E-graph-edge");
  EXPECT_EQ(graph.error().what, "edge 2 (party 2 to party 5) names party 5, and there is none");
  EXPECT_EQ(graph.error().fix, "parties are numbered from 1 to 4");
}

TEST(Graph, RefusesPartyZeroOfAListThatCountsFromOne) {
  const auto graph = Graph::make(4, {{PartyId{0} - 1, 2}});
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().what, HasSubstr("names party 0"));
}

TEST(Graph, RefusesNoPartiesAndTooMany) {
  EXPECT_EQ(Graph::make(0, {}).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::make(kMaxParties + 1, {}).error().name, "E-graph-parties");
}

RC_GTEST_PROP(Graph, HasSortedAndSymmetricNeighbours, (std::uint64_t seed)) {
  const Graph graph = random_graph(any_of<std::size_t>(1, 25), 30, seed);
  std::size_t ends = 0;
  for (PartyId i = 0; i < graph.size(); ++i) {
    const auto around = graph.neighbours(i);
    const auto along = graph.incident_edges(i);
    RC_ASSERT(std::ranges::adjacent_find(around, std::ranges::greater_equal{}) == around.end());
    RC_ASSERT(around.size() == along.size());
    for (std::size_t k = 0; k < around.size(); ++k) {
      RC_ASSERT(std::ranges::count(graph.neighbours(around[k]), i) == 1);
      const Edge expected{std::min(i, around[k]), std::max(i, around[k])};
      RC_ASSERT(graph.edges()[along[k]] == expected);
    }
    ends += around.size();
  }
  RC_ASSERT(ends == 2 * graph.edges().size());
}

TEST(Topology, HasANameThatLeadsBackToIt) {
  for (const Topology topology :
       {Topology::kCycle, Topology::kPath, Topology::kStar, Topology::kComplete, Topology::kGrid,
        Topology::kTorus, Topology::kBase, Topology::kPetersen, Topology::kRandomRegular,
        Topology::kErdosRenyi, Topology::kSmallWorld, Topology::kEdges, Topology::kFile}) {
    EXPECT_EQ(topology_from(to_string(topology)), topology);
  }
  EXPECT_EQ(to_string(Topology::kRandomRegular), "random-regular");
  EXPECT_FALSE(topology_from("ring"));
}

TEST(Graph, KeepsTheEdgesAmongSomeParties) {
  const Graph graph = *Graph::make(5, {{0, 1}, {0, 3}, {1, 2}, {1, 3}, {3, 4}});
  const std::vector<PartyId> gone = {2, 0};
  const std::vector<PartyId> left = graph.all_but(gone);
  EXPECT_THAT(left, ElementsAre(1, 3, 4));
  EXPECT_THAT(graph.edges_among(left), ElementsAre(3, 4));
  const Graph part = graph.restricted_to(left);
  EXPECT_EQ(part.size(), 3u);
  EXPECT_THAT(part.edges(), ElementsAre(Edge{0, 1}, Edge{1, 2}));
}

TEST(Graph, OfAllItsPartiesIsItself) {
  const Graph cycle = *Graph::cycle(4);
  EXPECT_EQ(cycle.restricted_to(cycle.all_but({})).topology(), Topology::kCycle);
}

TEST(Distances, CountStepsAndSayWhomThereIsNoWayTo) {
  const Graph graph = *Graph::make(6, {{0, 1}, {1, 2}, {0, 3}, {2, 3}, {4, 5}});
  EXPECT_THAT(distances(graph, 0), ElementsAre(0, 1, 2, 1, 6, 6));
  DistanceLevels levels(graph, 1);
  EXPECT_THAT(levels.at(1), ElementsAre(0, 2));
  EXPECT_TRUE(levels.at(7).empty());
}

}  // namespace
}  // namespace sotto
