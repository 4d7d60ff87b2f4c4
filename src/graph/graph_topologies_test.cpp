#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/graph.h"
#include "support/graphs.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void expect_regular(const Graph& graph, std::size_t degree) {
  for (PartyId i = 0; i < graph.size(); ++i) EXPECT_EQ(graph.degree(i), degree) << "party " << i;
}

TEST(Cycle, JoinsTheLastPartyToTheFirst) {
  const Graph graph = *Graph::cycle(5);
  expect_regular(graph, 2);
  EXPECT_THAT(graph.neighbours(0), ElementsAre(1, 4));
  EXPECT_EQ(graph.topology(), Topology::kCycle);
}

TEST(Path, HasTwoEnds) {
  const Graph graph = *Graph::path(4);
  EXPECT_THAT(graph.edges(), ElementsAre(Edge{0, 1}, Edge{1, 2}, Edge{2, 3}));
  EXPECT_EQ(graph.topology(), Topology::kPath);
}

TEST(Star, HasTheFirstPartyInTheMiddle) {
  const Graph graph = *Graph::star(4);
  EXPECT_EQ(graph.degree(0), 3u);
  EXPECT_THAT(graph.neighbours(3), ElementsAre(0));
  EXPECT_EQ(graph.topology(), Topology::kStar);
}

TEST(Complete, JoinsEveryPair) {
  const Graph graph = *Graph::complete(7);
  expect_regular(graph, 6);
  EXPECT_EQ(graph.edges().size(), 21u);
  EXPECT_EQ(graph.topology(), Topology::kComplete);
}

TEST(Grid, IsAsNearlySquareAsItsSizeAllows) {
  EXPECT_EQ(grid_rows(12), 3u);
  EXPECT_EQ(grid_rows(16), 4u);
  EXPECT_EQ(grid_rows(14), 2u);
  EXPECT_EQ(grid_rows(13), 1u);
  const Graph graph = *Graph::grid(6);  // 0 1 2 over 3 4 5
  EXPECT_THAT(graph.edges(), ElementsAre(Edge{0, 1}, Edge{0, 3}, Edge{1, 2}, Edge{1, 4}, Edge{2, 5},
                                         Edge{3, 4}, Edge{4, 5}));
  EXPECT_EQ(graph.topology(), Topology::kGrid);
}

TEST(Grid, RefusesPrimesAndSuggestsTheNearestSizes) {
  const auto graph = Graph::grid(13);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().to_string(),
            "error[E-graph-grid]: 13 parties do not make a grid: 13 is prime; "
            "12 or 14 parties, or another topology");
  EXPECT_EQ(Graph::grid(3).error().fix, "4 parties, or another topology");
  EXPECT_EQ(Graph::grid(5).error().fix, "4 or 6 parties, or another topology");
  EXPECT_TRUE(Graph::grid(4));
}

// The Petersen graph is the one 3-regular graph of 10 parties and girth 5 (Hoffman,
// Singleton 1960): no two parties have more than one neighbour in common, and
// neighbours have none.
TEST(Petersen, IsTheThreeRegularGraphOfGirthFive) {
  const Graph graph = Graph::petersen();
  EXPECT_EQ(graph.size(), 10u);
  expect_regular(graph, 3);
  for (PartyId a = 0; a < 10; ++a) {
    for (PartyId b = a + 1; b < 10; ++b) {
      const bool adjacent = std::ranges::count(graph.neighbours(a), b) > 0;
      const auto common = std::ranges::count_if(graph.neighbours(a), [&](PartyId c) {
        return std::ranges::count(graph.neighbours(b), c) > 0;
      });
      EXPECT_EQ(common, adjacent ? 0 : 1);
    }
  }
}

TEST(KnownTopologies, RefuseTooFewPartiesAndSayHowManyItTakes) {
  EXPECT_EQ(Graph::cycle(2).error().to_string(),
            "error[E-graph-parties]: a cycle of 2 parties; from 3 to 10000000 parties");
  EXPECT_EQ(Graph::path(1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::star(1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::complete(1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::grid(1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::random_regular(1, 0, 1).error().name, "E-graph-parties");
}

TEST(KnownTopologies, RefuseTooManyPartiesOrEdges) {
  EXPECT_EQ(Graph::cycle(kMaxParties + 1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::torus(kMaxParties + 1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::base(kMaxParties + 1, 2).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::erdos_renyi(kMaxParties + 1, 20, 1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::small_world(kMaxParties + 1, 4, 0.1, 1).error().name, "E-graph-parties");
  EXPECT_EQ(Graph::random_regular(kMaxParties + 2, 4, 1).error().name, "E-graph-parties");
  EXPECT_THAT(Graph::complete(4473).error().fix, HasSubstr("4472"));
  EXPECT_EQ(Graph::random_regular(10'000, 2001, 1).error().fix, "a degree of at most 2000");
}

struct Shape {
  std::size_t parties;
  std::size_t degree;
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.parties << " parties of degree " << shape.degree;
}
class RandomRegular : public testing::TestWithParam<Shape> {};

TEST_P(RandomRegular, IsConnectedAndRegularAndTheSameForTheSameSeed) {
  const auto [parties, degree] = GetParam();
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Graph graph = *Graph::random_regular(parties, degree, seed);
    EXPECT_EQ(graph.size(), parties);
    EXPECT_EQ(graph.topology(), Topology::kRandomRegular);
    expect_regular(graph, degree);
    EXPECT_TRUE(graph.connected());
    EXPECT_TRUE(
        std::ranges::equal(graph.edges(), Graph::random_regular(parties, degree, seed)->edges()));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomRegular,
                         testing::Values(Shape{2, 1}, Shape{3, 2}, Shape{4, 2}, Shape{4, 3},
                                         Shape{5, 2}, Shape{6, 3}, Shape{7, 2}, Shape{7, 4},
                                         Shape{8, 3}, Shape{10, 5}, Shape{20, 9}, Shape{21, 10},
                                         Shape{50, 25}, Shape{51, 48}, Shape{100, 49},
                                         Shape{200, 2}, Shape{250, 20}, Shape{1000, 4}));

TEST(RandomRegularGraph, DependsOnItsSeed) {
  std::set<std::vector<Edge>> different;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = *Graph::random_regular(30, 3, seed);
    different.emplace(graph.edges().begin(), graph.edges().end());
  }
  EXPECT_EQ(different.size(), 20u);
}

TEST(RandomRegularGraph, MayHaveTenThousandPartiesWithTwentyNeighbours) {
  const Graph graph = *Graph::random_regular(10'000, 20, 1);
  EXPECT_EQ(graph.edges().size(), 100'000u);
  EXPECT_TRUE(graph.connected());
}

// There are 70 labelled 3-regular graphs of 6 parties: 60 prisms and 10 K₃,₃ (OEIS
// A002829). Each should come up 100 times in 7000; χ²(69) exceeds 123 once in 10⁴.
TEST(RandomRegularGraph, IsUniformOverTheCubicGraphsOfSixParties) {
  std::map<std::vector<Edge>, int> count;
  for (std::uint64_t seed = 0; seed < 7000; ++seed) {
    const Graph graph = *Graph::random_regular(6, 3, seed);
    ++count[{graph.edges().begin(), graph.edges().end()}];
  }
  ASSERT_EQ(count.size(), 70u);
  double chi_square = 0;
  for (const auto& [edges, times] : count) chi_square += (times - 100.0) * (times - 100.0) / 100.0;
  RecordProperty("chi_square", std::to_string(chi_square));
  EXPECT_LT(chi_square, 123);
}

TEST(RandomRegularGraph, RefusesDegreesThatNoGraphHas) {
  EXPECT_EQ(Graph::random_regular(7, 3, 1).error().to_string(),
            "error[E-graph-degree]: 7 parties with 3 neighbours each: an odd number of ends cannot "
            "be paired; a degree of 2 or 4, or an even number of parties");
  EXPECT_EQ(Graph::random_regular(6, 6, 1).error().fix, "a degree from 2 to 5");
  EXPECT_EQ(Graph::random_regular(6, 1, 1).error().name, "E-graph-degree");
  EXPECT_EQ(Graph::random_regular(6, 0, 1).error().name, "E-graph-degree");
  EXPECT_EQ(Graph::random_regular(2, 2, 1).error().fix, "a degree of 1");
}

}  // namespace
}  // namespace sotto
