#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "graph/graph.h"
#include "support/graphs.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::Optional;

// Whether at least two parties are left and they are not in one piece.
bool separates(const Graph& graph, std::uint32_t removed) {
  const std::uint32_t all = (std::uint32_t{1} << graph.size()) - 1;
  const std::uint32_t left = all & ~removed;
  if (left == 0) return false;
  std::uint32_t piece = left & (~left + 1);
  for (std::uint32_t before = 0; piece != before;) {
    before = piece;
    for (const auto& [a, b] : graph.edges()) {
      const std::uint32_t both = (std::uint32_t{1} << a) | (std::uint32_t{1} << b);
      if ((both & removed) == 0 && (both & piece) != 0) piece |= both;
    }
  }
  return piece != left;
}

std::uint32_t as_bits(const std::vector<PartyId>& parties) {
  std::uint32_t bits = 0;
  for (const PartyId party : parties) bits |= std::uint32_t{1} << party;
  return bits;
}

bool any_set_separates(const Graph& graph, std::size_t at_most) {
  for (std::uint32_t removed = 0; removed < (std::uint32_t{1} << graph.size()); ++removed) {
    if (std::size_t(std::popcount(removed)) <= at_most && separates(graph, removed)) return true;
  }
  return false;
}

RC_GTEST_PROP(FindCut, AgreesWithTryingEverySet, (std::uint64_t seed)) {
  const auto size = any_of<std::size_t>(1, 10);
  const Graph graph = random_graph(size, any_of<std::uint64_t>(20, 101), seed);
  RC_CLASSIFY(!any_set_separates(graph, 1), "held against one");
  for (std::size_t removed = 0; removed <= size + 1; ++removed) {
    const auto cut = find_cut(graph, removed);
    RC_ASSERT(cut.has_value() == any_set_separates(graph, removed));
    if (!cut) continue;
    RC_ASSERT(cut->size() <= removed);
    RC_ASSERT(separates(graph, as_bits(*cut)));
    RC_ASSERT(std::ranges::is_sorted(*cut));
  }
}

// Regular graphs are the hard case: no party is cut off by its few neighbours.
RC_GTEST_PROP(FindCut, AgreesWithTryingEverySetOfRegularGraphs, (std::uint64_t seed)) {
  const auto half = any_of<std::size_t>(3, 7);
  const Graph graph = *Graph::random_regular(2 * half, any_of<std::size_t>(2, 5), seed);
  for (std::size_t removed = 0; removed <= 5; ++removed) {
    const auto cut = find_cut(graph, removed);
    RC_ASSERT(cut.has_value() == any_set_separates(graph, removed));
    if (cut) RC_ASSERT(separates(graph, as_bits(*cut)));
  }
}

// Here the third path from one of the parties has to undo a stretch of an earlier one,
// through a party and out at its other side. Only {5, 10} and its like separate.
TEST(FindCut, UndoesStretchesOfEarlierPaths) {
  const Graph graph = *Graph::make(12, {{0, 4},
                                        {0, 10},
                                        {0, 11},
                                        {1, 3},
                                        {1, 6},
                                        {1, 10},
                                        {2, 3},
                                        {2, 5},
                                        {2, 10},
                                        {3, 8},
                                        {4, 9},
                                        {4, 11},
                                        {5, 7},
                                        {5, 9},
                                        {6, 7},
                                        {6, 8},
                                        {7, 8},
                                        {9, 11}});
  EXPECT_FALSE(find_cut(graph, 1));
  const auto cut = find_cut(graph, 2);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->size(), 2u);
  EXPECT_TRUE(separates(graph, as_bits(*cut)));
}

TEST(FindCut, NamesTheCentreOfAStar) {
  EXPECT_FALSE(find_cut(*Graph::star(6), 0));
  EXPECT_THAT(find_cut(*Graph::star(6), 1), Optional(ElementsAre(0)));
}

TEST(FindCut, NamesAnInnerPartyOfAPath) {
  EXPECT_FALSE(find_cut(*Graph::path(6), 0));
  EXPECT_THAT(find_cut(*Graph::path(6), 1), Optional(ElementsAre(1)));
  EXPECT_FALSE(find_cut(*Graph::path(2), 2));
}

TEST(FindCut, NeedsTwoPartiesOfACycle) {
  for (const std::size_t parties : {4, 5, 250}) {
    const Graph graph = *Graph::cycle(parties);
    EXPECT_FALSE(find_cut(graph, 1));
    const auto cut = find_cut(graph, 2);
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->size(), 2u);
    EXPECT_TRUE(find_cut(graph, 3));
  }
  EXPECT_FALSE(find_cut(*Graph::cycle(3), 2));
}

TEST(FindCut, NeverCutsACompleteGraph) {
  for (std::size_t removed = 0; removed < 12; ++removed) {
    EXPECT_FALSE(find_cut(*Graph::complete(10), removed));
  }
}

TEST(FindCut, GivesTheEmptySetForAGraphInPieces) {
  const Graph graph = *Graph::make(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}});
  for (std::size_t removed = 0; removed < 4; ++removed) {
    EXPECT_THAT(find_cut(graph, removed), Optional(ElementsAre()));
  }
}

TEST(FindCut, KnowsThatPetersenHoldsAgainstTwo) {
  EXPECT_FALSE(find_cut(Graph::petersen(), 2));
  EXPECT_TRUE(find_cut(Graph::petersen(), 3));
}

// Two cliques of 50 that share the 3 parties 50, 51, 52: nothing else is a small cut,
// and no party's neighbourhood is.
TEST(FindCut, FindsTheOneBottleneckOfALargeGraph) {
  std::vector<Edge> edges;
  for (PartyId a = 0; a < 103; ++a) {
    for (PartyId b = a + 1; b < 103; ++b) {
      if (b < 53 || a >= 50) edges.push_back({a, b});
    }
  }
  const Graph graph = *Graph::make(103, edges);
  EXPECT_FALSE(find_cut(graph, 2));
  EXPECT_THAT(find_cut(graph, 3), Optional(ElementsAre(50, 51, 52)));
}

// A random 20-regular graph is 20-connected with overwhelming probability.
TEST(FindCut, IsQuickEnoughForTenThousandParties) {
  const Graph graph = *Graph::random_regular(10'000, 20, 1);
  EXPECT_FALSE(find_cut(graph, 3));
}

}  // namespace
}  // namespace sotto
