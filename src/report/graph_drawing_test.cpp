#include "report/graph_drawing.h"

#include <gmock/gmock.h>

#include <cmath>

#include "report/graph_layout.h"
#include "report/xml_for_tests.h"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;
using xml::Element;

double apart(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

std::vector<std::string> names(std::size_t n, const std::string& prefix) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i <= n; ++i) all.push_back(prefix + std::to_string(i));
  return all;
}

std::size_t count_of(const std::string& svg, std::string_view kind) {
  const auto elements = xml::Reader::read(svg);
  return static_cast<std::size_t>(
      std::ranges::count_if(elements, [&](const Element& e) { return e.is(kind); }));
}

TEST(GraphLayout, KnowsTheShapesThatHaveNames) {
  EXPECT_EQ(shape_of(*Graph::cycle(7)), GraphShape::kCycle);
  EXPECT_EQ(shape_of(*Graph::path(7)), GraphShape::kPath);
  EXPECT_EQ(shape_of(*Graph::star(7)), GraphShape::kStar);
  EXPECT_EQ(shape_of(*Graph::complete(7)), GraphShape::kComplete);
  EXPECT_EQ(shape_of(*Graph::grid(12)), GraphShape::kOther);
  EXPECT_EQ(shape_of(Graph::petersen()), GraphShape::kOther);
  EXPECT_EQ(shape_of(*Graph::make(1, {})), GraphShape::kSingle);
  // As many edges as a cycle of six, in two pieces.
  EXPECT_EQ(shape_of(*Graph::make(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}})),
            GraphShape::kOther);
}

TEST(GraphLayout, PutsACycleOnACircleWhateverItsNumbering) {
  const auto graph = Graph::make(6, {{0, 3}, {3, 1}, {1, 5}, {5, 2}, {2, 4}, {4, 0}});
  const std::vector<Point> places = layout_graph(*graph);
  for (const Edge& edge : graph->edges()) {
    EXPECT_NEAR(apart(places[edge.a], places[edge.b]), 1, 1e-12);  // a hexagon's side
  }
}

TEST(GraphLayout, KeepsNeighboursTogetherAndStrangersApart) {
  const Graph graph = *Graph::grid(30);
  const std::vector<Point> places = layout_graph(graph);
  double longest_edge = 0;
  for (const Edge& edge : graph.edges()) {
    longest_edge = std::max(longest_edge, apart(places[edge.a], places[edge.b]));
  }
  // Opposite corners are 9 steps apart.
  EXPECT_GT(apart(places[0], places[29]), 4 * longest_edge);
  EXPECT_GT(apart(places[5], places[24]), 4 * longest_edge);
}

TEST(GraphLayout, StaysInTheDiscAndIsTheSameEveryTime) {
  const std::vector<Graph> graphs{Graph::petersen(),
                                  *Graph::grid(12),
                                  *Graph::random_regular(90, 3, 5),
                                  *Graph::path(9),
                                  *Graph::star(5),
                                  *Graph::make(4, {{0, 1}}),
                                  *Graph::random_regular(500, 4, 1)};
  for (const Graph& graph : graphs) {
    const std::vector<Point> places = layout_graph(graph);
    const std::vector<Point> again = layout_graph(graph);
    ASSERT_EQ(places.size(), graph.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_LE(std::hypot(places[i].x, places[i].y), 1 + 1e-9);
      EXPECT_EQ(places[i].x, again[i].x);
      EXPECT_EQ(places[i].y, again[i].y);
      for (std::size_t j = 0; j < i; ++j) EXPECT_GT(apart(places[i], places[j]), 1e-6);
    }
  }
}

TEST(GraphLayout, SpreadsOutWhatLiesOnTopOfEachOther) {
  const std::vector<Point> places = spread_out(std::vector<Point>(5), 10, 100, 100);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE(apart(places[i], places[j]), 10 - 1e-9);
  }
}

TEST(GraphDrawing, NamesPartiesWhereNamesFitAndNumbersThemWhereNot) {
  const std::string few = standalone_svg({.names = names(5, "party "), .graph = *Graph::cycle(5)});
  EXPECT_EQ(count_of(few, "party-name"), 5U);
  const std::string long_names =
      standalone_svg({.names = names(9, std::string(200, 'W')), .graph = *Graph::cycle(9)});
  EXPECT_EQ(count_of(long_names, "party-number"), 9U);
  const std::string sixty =
      standalone_svg({.names = names(60, "party "), .graph = *Graph::cycle(60)});
  EXPECT_EQ(count_of(sixty, "party-number"), 60U);
  const std::string many =
      standalone_svg({.names = names(250, "party "), .graph = *Graph::cycle(250)});
  EXPECT_EQ(count_of(many, "party"), 250U);
  EXPECT_EQ(count_of(many, "party-number") + count_of(many, "party-name"), 0U);
}

TEST(GraphDrawing, SaysToAScreenReaderWhoTalksWithWhom) {
  const std::string svg = standalone_svg(
      {.title = "t", .names = {"north", "east", "south", "west"}, .graph = *Graph::cycle(4)});
  const std::string words = xml::Reader::read(svg).at(2).text;
  EXPECT_THAT(words, HasSubstr("4 parties and 4 connections, a cycle, 2 neighbours each, at most 2 "
                               "steps from one party to another."));
  EXPECT_THAT(words, HasSubstr("south: 2 neighbours (east, west)."));
}

TEST(GraphDrawing, RingsThePartyThatLooks) {
  GraphDrawing drawing{.names = names(4, "p"), .graph = *Graph::cycle(4)};
  EXPECT_EQ(count_of(standalone_svg(drawing), "own"), 0U);
  drawing.own = 2;
  EXPECT_EQ(count_of(standalone_svg(drawing), "own"), 1U);
}

TEST(GraphDrawing, DrawsASampleOfTooManyEdgesAndSaysSo) {
  const std::string svg =
      standalone_svg({.names = names(250, "p"), .graph = *Graph::complete(250)});
  EXPECT_THAT(svg, HasSubstr("2000 of 31125 connections are drawn."));
  EXPECT_LT(svg.size(), 200'000U);
}

TEST(GraphDrawing, EscapesNames) {
  const std::string svg = standalone_svg({.names = {"<b>", "&"}, .graph = *Graph::path(2)});
  ASSERT_NO_THROW((void)xml::Reader::read(svg));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(GraphDrawing, FindsWordsForEveryGraph) {
  EXPECT_EQ(graph_in_words(*Graph::make(1, {})), "1 party and 0 connections");
  EXPECT_EQ(graph_in_words(*Graph::path(2)), "2 parties and 1 connection");
  EXPECT_EQ(graph_in_words(*Graph::star(5)),
            "5 parties and 4 connections, a star, 1 to 4 neighbours each, at most 2 steps from one "
            "party to another");
  EXPECT_EQ(graph_in_words(*Graph::make(4, {{0, 1}, {2, 3}})),
            "4 parties and 2 connections, 1 neighbour each");
}

}  // namespace
}  // namespace sotto
