#include <gmock/gmock.h>

#include <limits>

#include "report/chart.h"
#include "report/text.h"
#include "support/xml.h"

namespace sotto::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using xml::all;
using xml::Element;

// Where a value stands, from the ticks' labels alone: those are what a reader has.
double place_by_ticks(const std::string& svg, double value) {
  const std::vector<Element> lines = all(svg, "grid");
  const std::vector<Element> ticks = all(svg, "x-tick");
  const auto number = [](const std::string& label) {
    return label.starts_with("−") ? -std::stod(label.substr(3)) : std::stod(label);
  };
  const double low = number(ticks.front().text);
  const double high = number(ticks.back().text);
  const double left = lines.front().number("x1");
  const double right = lines.at(ticks.size() - 1).number("x1");
  return left + (value - low) / (high - low) * (right - left);
}

// Of a path that starts with a level line.
std::pair<double, double> ends_of(const Element& path) {
  const std::string d = path.attributes.at("d");
  return {std::stod(d.substr(1)), std::stod(d.substr(d.find_first_of("HL") + 1))};
}

CoefficientChart two() {
  return {.title = "t",
          .x = "x",
          .rows = {{.name = "age", .value = 2.5, .interval = {{1, 4}}, .center = 2.5},
                   {.name = "height", .value = -0.5, .interval = {{-3, 1}}, .center = -1}}};
}

TEST(CoefficientChart, DrawsIntervalsWhereTheAxisSays) {
  const std::string svg = standalone_svg(two());
  const std::vector<Element> intervals = all(svg, "interval");
  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_NEAR(ends_of(intervals[0]).first, place_by_ticks(svg, 1), 0.1);
  EXPECT_NEAR(ends_of(intervals[0]).second, place_by_ticks(svg, 4), 0.1);
  EXPECT_NEAR(ends_of(intervals[1]).first, place_by_ticks(svg, -3), 0.1);
  EXPECT_NEAR(all(svg, "zero").at(0).number("x1"), place_by_ticks(svg, 0), 0.1);
}

TEST(CoefficientChart, FillsADotOnlyWhereZeroIsOutside) {
  const std::string svg = standalone_svg(two());
  std::vector<std::string> fills;
  for (const Element& e : xml::Reader::read(svg)) {
    if (e.tag == "circle" && e.path.size() == 2) fills.push_back(e.attributes.at("fill"));
  }
  // Of the rows; those of the legend stand in no group.
  ASSERT_EQ(fills.size(), 2U);
  EXPECT_EQ(fills[0], "#0072b2");
  EXPECT_EQ(fills[1], "#ffffff");
}

TEST(CoefficientChart, ShowsTheModelsValueWhereItWasShrunk) {
  const auto diamonds = [](const std::string& svg) {
    return std::ranges::count_if(xml::Reader::read(svg), [](const Element& e) {
      const auto color = e.attributes.find("stroke");
      return color != e.attributes.end() && color->second == "#b4578f";
    });
  };
  EXPECT_EQ(diamonds(standalone_svg(two())), 2);  // the legend's and the second row's
  CoefficientChart chart = two();
  chart.rows[1].center = -0.5;
  EXPECT_EQ(diamonds(standalone_svg(chart)), 0);
}

TEST(CoefficientChart, DrawsDotsAndTheReasonWhereThereAreNoIntervals) {
  const CoefficientChart chart{.title = "t",
                               .rows = {{.name = "a", .value = 1}, {.name = "b", .value = 0}},
                               .note = "No intervals: too much noise."};
  const std::string svg = standalone_svg(chart);
  EXPECT_TRUE(all(svg, "interval").empty());
  EXPECT_TRUE(all(svg, "legend").empty());
  EXPECT_EQ(all(svg, "row").size(), 2U);
  EXPECT_EQ(all(svg, "note").at(0).text, "No intervals: too much noise.");
  EXPECT_THAT(xml::Reader::read(svg).at(2).text, HasSubstr("too much noise"));
}

TEST(CoefficientChart, GivesCoefficientsOfOtherSizesAxesOfTheirOwn) {
  CoefficientChart chart{.rows = {{.name = "big", .value = 1000},
                                  {.name = "tiny", .value = 0.001},
                                  {.name = "large", .value = 500},
                                  {.name = "nothing", .value = 0}}};
  std::string svg = standalone_svg(chart);
  EXPECT_EQ(all(svg, "zero").size(), 2U);
  std::vector<std::string> names;
  for (const Element& e : all(svg, "row-name")) names.push_back(e.text);
  EXPECT_THAT(names, testing::ElementsAre("big", "large", "tiny", "nothing"));
  chart.rows[2].apart = true;
  EXPECT_EQ(all(standalone_svg(chart), "zero").size(), 3U);
}

TEST(CoefficientChart, ThinsOutWhatNobodyCouldRead) {
  CoefficientChart chart;
  for (int i = 0; i < 1024; ++i) {
    chart.rows.push_back({.name = "c" + std::to_string(i),
                          .value = i == 700 ? 9.0 : 0.1,
                          .interval = {{-1, 1}},
                          .center = i == 700 ? 9.0 : 0.1});
  }
  const std::string svg = standalone_svg(chart);
  EXPECT_EQ(all(svg, "row").size(), kMostCoefficients);
  EXPECT_THAT(svg, HasSubstr(">c700</text>"));
  EXPECT_THAT(svg, HasSubstr("60 of 1024 coefficients"));
}

TEST(CoefficientChart, IsWellFormedWithAnyInput) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<CoefficientChart> charts{
      {},
      {.title = "<&>", .rows = {{.name = "<script>", .value = 1e300}}},
      {.rows = {{.name = std::string(300, 'W'), .value = infinity}, {.name = "b", .value = 2}}},
      {.rows = {{.name = "same", .value = 3, .interval = {{3, 3}}}}},
  };
  for (const CoefficientChart& chart : charts) {
    for (const std::string& svg :
         {standalone_svg(chart), inline_svg(chart).wide, inline_svg(chart).narrow}) {
      ASSERT_NO_THROW((void)xml::Reader::read(svg));
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_THAT(svg, Not(HasSubstr("\"inf")));
    }
  }
}

TEST(CoefficientChart, PrintsTheDigitsThatMeanSomething) {
  EXPECT_EQ(value_text(12.3456, 0.83), "12.35");
  EXPECT_EQ(value_text(-12.3456, 21), "−12");
  EXPECT_EQ(value_text(-0.001, 0.5), "0.00");
  EXPECT_EQ(value_text(0.25, 0), "0.25");
  EXPECT_EQ(value_text(1234567, 3), "1.235×10⁶");
  EXPECT_EQ(value_text(1e-9, 1e-10), "10⁻⁹");
}

TEST(EpsilonChart, MarksWhoLearnsMoreThanWasAskedFor) {
  const EpsilonChart chart{
      .title = "t",
      .x = "ε",
      .asked = 1,
      .rows = {{"a", 0.999}, {"b", 2.5}, {"c", std::numeric_limits<double>::infinity()}}};
  const std::string svg = standalone_svg(chart);
  const std::vector<Element> stems = all(svg, "stem");
  ASSERT_EQ(stems.size(), 2U);
  EXPECT_EQ(stems[0].attributes.at("stroke"), "#009e73");
  EXPECT_EQ(stems[1].attributes.at("stroke"), "#d55e00");
  EXPECT_NEAR(ends_of(stems[1]).second, place_by_ticks(svg, 2.5), 0.1);
  EXPECT_NEAR(all(svg, "asked").at(0).number("x1"), place_by_ticks(svg, 1), 0.1);
  ASSERT_EQ(all(svg, "endless").size(), 1U);
  EXPECT_GT(ends_of(all(svg, "endless")[0]).second, place_by_ticks(svg, 2.5));
  EXPECT_THAT(svg, HasSubstr("c: no ε will do"));
  EXPECT_THAT(svg, HasSubstr(">no limit<"));
}

TEST(EpsilonChart, TurnsLogarithmicWhereSizesDifferMuch) {
  EXPECT_THAT(standalone_svg(EpsilonChart{.x = "ε", .asked = 1, .rows = {{"a", 300}}}),
              HasSubstr("log scale"));
  EXPECT_THAT(standalone_svg(EpsilonChart{.x = "ε", .asked = 1, .rows = {{"a", 3}}}),
              Not(HasSubstr("log scale")));
  EXPECT_NO_THROW(
      (void)xml::Reader::read(standalone_svg(EpsilonChart{.asked = 0, .rows = {{"a", 0}}})));
}

TEST(WidthChart, ShowsNowBesideBeforeOnOneAxis) {
  const WidthChart chart{
      .title = "t",
      .x = "x",
      .now = "now",
      .before = "before",
      .rows = {{.name = "age", .now = 2, .before = 4}, {.name = "a<b", .now = 1}}};
  const std::string svg = standalone_svg(chart);
  const std::vector<Element> stems = all(svg, "stem");
  ASSERT_EQ(stems.size(), 2U);
  EXPECT_NEAR(ends_of(stems[0]).second, place_by_ticks(svg, 2), 0.1);
  EXPECT_NEAR(ends_of(stems[1]).second, place_by_ticks(svg, 1), 0.1);
  EXPECT_THAT(svg, HasSubstr("age: 2, before: 4"));
  EXPECT_THAT(svg, Not(HasSubstr("a<b")));
}

TEST(WidthChart, CountsWhatItCannotShow) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(standalone_svg(WidthChart{.rows = {{.name = "a", .now = infinity}}}),
              HasSubstr("Not shown: 1 row that is"));
}

}  // namespace
}  // namespace sotto::report
