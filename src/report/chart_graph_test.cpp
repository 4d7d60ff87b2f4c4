#include <gmock/gmock.h>

#include <cmath>

#include "report/chart.h"
#include "support/xml.h"

namespace sotto::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using xml::all;
using xml::Element;

std::vector<std::string> numbered(std::size_t n, const std::string& prefix) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

// Where the parties stand, read off the drawing.
std::vector<std::pair<double, double>> places_of(const std::string& svg) {
  std::vector<std::pair<double, double>> places;
  for (const Element& e : xml::Reader::read(svg)) {
    if (e.tag == "circle") places.emplace_back(e.number("cx"), e.number("cy"));
  }
  return places;
}

double apart(std::pair<double, double> a, std::pair<double, double> b) {
  return std::hypot(a.first - b.first, a.second - b.second);
}

TEST(GraphDrawing, KnowsTheShapesThatHaveNames) {
  EXPECT_THAT(graph_in_words(*Graph::cycle(7)), HasSubstr(", a cycle,"));
  EXPECT_THAT(graph_in_words(*Graph::path(7)), HasSubstr(", a path,"));
  EXPECT_THAT(graph_in_words(*Graph::star(7)), HasSubstr(", a star,"));
  EXPECT_THAT(graph_in_words(*Graph::complete(7)), HasSubstr(", everybody with everybody,"));
  EXPECT_THAT(graph_in_words(*Graph::grid(12)), HasSubstr("connections, 2 to 4 neighbours"));
  EXPECT_THAT(graph_in_words(Graph::petersen()), HasSubstr("connections, 3 neighbours"));
  // As many edges as a cycle of six, in two pieces.
  EXPECT_THAT(graph_in_words(*Graph::make(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}})),
              Not(HasSubstr("cycle")));
}

TEST(GraphDrawing, PutsPartiesOnACircleInTheirOwnOrderAndAStarsMiddleInItsMiddle) {
  const auto ring =
      places_of(standalone_svg(GraphDrawing{.names = numbered(6, "p"), .graph = *Graph::cycle(6)}));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(apart(ring[i], ring[(i + 1) % 6]), 90, 0.1);  // a hexagon's side
  }
  const auto star =
      places_of(standalone_svg(GraphDrawing{.names = numbered(7, "p"), .graph = *Graph::star(7)}));
  for (std::size_t i = 1; i < 7; ++i) EXPECT_NEAR(apart(star[0], star[i]), 90, 0.1);
}

TEST(GraphDrawing, PutsNoPartyOnAnotherAndIsTheSameEveryTime) {
  const std::vector<Graph> graphs{
      Graph::petersen(),   *Graph::grid(12),  *Graph::random_regular(90, 3, 5),
      *Graph::path(2),     *Graph::star(5),   *Graph::make(4, {{0, 1}}),
      *Graph::make(1, {}), *Graph::cycle(60), *Graph::random_regular(500, 4, 1)};
  for (const Graph& graph : graphs) {
    const GraphDrawing drawing{.names = numbered(graph.size(), "p"), .graph = graph};
    const InlineSvg svg = inline_svg(drawing);
    EXPECT_EQ(svg.narrow, inline_svg(drawing).narrow);
    const auto places = places_of(svg.narrow);
    ASSERT_EQ(places.size(), graph.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_GT(places[i].first, 10);
      EXPECT_LT(places[i].first, 350);
      for (std::size_t j = 0; j < i; ++j) EXPECT_GT(apart(places[i], places[j]), 1.5);
    }
  }
}

TEST(GraphDrawing, NamesPartiesWhereNamesFitAndNumbersThemWhereNot) {
  const std::string few =
      standalone_svg(GraphDrawing{.names = numbered(5, "party "), .graph = *Graph::cycle(5)});
  EXPECT_EQ(all(few, "party-name").size(), 5U);
  const std::string long_names = standalone_svg(
      GraphDrawing{.names = numbered(9, std::string(200, 'W')), .graph = *Graph::cycle(9)});
  EXPECT_EQ(all(long_names, "party-number").size(), 9U);
  const std::string sixty =
      standalone_svg(GraphDrawing{.names = numbered(60, "party "), .graph = *Graph::cycle(60)});
  EXPECT_EQ(all(sixty, "party-number").size(), 60U);
  const std::string many =
      standalone_svg(GraphDrawing{.names = numbered(250, "party "), .graph = *Graph::cycle(250)});
  EXPECT_EQ(all(many, "party").size(), 250U);
  EXPECT_EQ(all(many, "party-number").size() + all(many, "party-name").size(), 0U);
}

TEST(GraphDrawing, SaysToAScreenReaderWhoTalksWithWhom) {
  const std::string svg = standalone_svg(GraphDrawing{
      .title = "t", .names = {"north", "east", "south", "west"}, .graph = *Graph::cycle(4)});
  const std::string words = xml::Reader::read(svg).at(2).text;
  EXPECT_THAT(words, HasSubstr("4 parties and 4 connections, a cycle, 2 neighbours each, at most 2 "
                               "steps from one party to another."));
  EXPECT_THAT(words, HasSubstr("south: 2 neighbours (east, west)."));
}

TEST(GraphDrawing, RingsThePartyThatLooks) {
  GraphDrawing drawing{.names = numbered(4, "p"), .graph = *Graph::cycle(4)};
  EXPECT_EQ(all(standalone_svg(drawing), "own").size(), 0U);
  drawing.own = 2;
  EXPECT_EQ(all(standalone_svg(drawing), "own").size(), 1U);
}

TEST(GraphDrawing, DrawsASampleOfTooManyEdgesAndSaysSo) {
  const std::string svg =
      standalone_svg(GraphDrawing{.names = numbered(250, "p"), .graph = *Graph::complete(250)});
  EXPECT_THAT(svg, HasSubstr("2000 of 31125 connections are drawn."));
  EXPECT_LT(svg.size(), 200'000U);
}

TEST(GraphDrawing, EscapesNames) {
  const std::string svg =
      standalone_svg(GraphDrawing{.names = {"<b>", "&"}, .graph = *Graph::path(2)});
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

TEST(GraphDrawing, TellsHowPartiesStandByShapeColourAndWords) {
  GraphDrawing drawing{.title = "t", .names = numbered(4, "p"), .graph = *Graph::cycle(4)};
  drawing.kinds = {"taking part", "waited for", "finished", "lost"};
  drawing.standing = {0, 1, 1, 3};
  const std::string svg = standalone_svg(drawing);
  EXPECT_THAT(svg, HasSubstr("p2: 2 neighbours (p1, p3), waited for"));
  const std::vector<Element> legend = all(svg, "legend");
  ASSERT_EQ(legend.size(), 3U) << "only the kinds that there are";
  EXPECT_EQ(legend[2].text, "lost");
}

}  // namespace
}  // namespace sotto::report
