#include "report/chart.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "report/svg.h"
#include "report/text.h"
#include "support/sample_page.h"
#include "support/xml.h"

namespace sotto::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using xml::all;
using xml::Element;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The y coordinate of a value on a logarithmic axis, from the labels 10^a and
// 10^b of the drawing alone: the labels are where the reader looks.
double height_by_ticks(const std::string& svg, double value, int a, int b) {
  double at_a = kNan;
  double at_b = kNan;
  const std::vector<Element> lines = all(svg, "grid");
  const std::vector<Element> ticks = all(svg, "y-tick");
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (ticks[i].text == "10" + superscript(a)) at_a = lines.at(i).number("y1");
    if (ticks[i].text == "10" + superscript(b)) at_b = lines.at(i).number("y1");
  }
  return at_a + (std::log10(value) - a) / (b - a) * (at_b - at_a);
}

// By the estimate; chromium_test.cpp asks a browser.
void expect_text_inside(const std::string& svg) {
  const std::vector<Element> elements = xml::Reader::read(svg);
  std::istringstream view_box(elements.at(0).attributes.at("viewBox"));
  double x = 0, y = 0, width = 0, height = 0;
  view_box >> x >> y >> width >> height;
  for (const Element& e : elements) {
    if (e.tag != "text") continue;
    const double size = e.number("font-size");
    const bool bold = e.attributes.contains("font-weight");
    const double wide = text_width(e.text, bold ? 1.1 * size : size);
    const auto anchor = e.attributes.find("text-anchor");
    const double share = anchor == e.attributes.end() ? 0 : anchor->second == "end" ? 1 : 0.5;
    const double left = e.number("x") - share * wide;
    EXPECT_GE(left, 0) << e.text;
    EXPECT_LE(left + wide, width) << e.text;
    EXPECT_GE(e.number("y") - 0.8 * size, 0) << e.text;
    EXPECT_LE(e.number("y") + 0.25 * size, height) << e.text;
  }
}

std::vector<std::string> all_drawings() {
  std::vector<std::string> drawings;
  const auto add = [&](const auto& chart) {
    drawings.push_back(standalone_svg(chart));
    drawings.push_back(inline_svg(chart).wide);
    drawings.push_back(inline_svg(chart).narrow);
  };
  add(sample::decay());
  add(sample::by_epsilon());
  add(sample::by_parties());
  add(LineChart{});
  add(BoxChart{});
  const std::string longest(300, 'W');
  add(LineChart{.labels = {longest, "x " + longest, longest + " y"},
                .series = {{.name = longest, .x = {1e-90, 1e90}, .y = {-1e90, 1e90}}},
                .references = {{longest, 3}, {"same height", 3}, {"and again", 3}}});
  add(BoxChart{.labels = {"Many groups", "city", "error"},
               .groups = std::vector<std::string>(17, "Llanfairpwllgwyngyll"),
               .series = {{"a", std::vector<std::vector<double>>(17, {1.0, 2.0})}}});
  return drawings;
}

TEST(Chart, IsWellFormedWithAllTextInside) {
  for (const std::string& svg : all_drawings()) {
    ASSERT_NO_THROW((void)xml::Reader::read(svg));
    expect_text_inside(svg);
  }
}

TEST(Chart, SaysToAScreenReaderWhatItShows) {
  for (const std::string& svg : all_drawings()) {
    const std::vector<Element> elements = xml::Reader::read(svg);
    EXPECT_EQ(elements.at(0).attributes.at("role"), "img");
    EXPECT_EQ(elements.at(1).tag, "title");
    EXPECT_EQ(elements.at(2).tag, "desc");
    EXPECT_THAT(elements.at(2).text, HasSubstr("chart. Across: "));
  }
  const BoxChart chart{
      .labels = {"t", "n", "error"}, .groups = {"10"}, .series = {{"gt", {{1, 2, 3, 4, 50}}}}};
  EXPECT_THAT(xml::Reader::read(standalone_svg(chart)).at(2).text,
              HasSubstr("n 10, gt: median 3, quartiles 2 and 4, whiskers 1 and 4, 1 outlier among "
                        "5 values."));
}

TEST(Chart, HasNoIdsThatCouldClashInOnePageAndNoScript) {
  for (const std::string& svg : all_drawings()) {
    for (const Element& e : xml::Reader::read(svg)) {
      EXPECT_FALSE(e.attributes.contains("id"));
      EXPECT_NE(e.tag, "script");
    }
  }
}

TEST(Chart, TakesItsColoursFromThePageOnlyWhenItStandsInOne) {
  EXPECT_THAT(standalone_svg(sample::decay()), Not(HasSubstr("var(")));
  const InlineSvg drawing = inline_svg(sample::decay());
  EXPECT_THAT(drawing.wide, HasSubstr("var(--series-1,#0072b2)"));
  for (const Element& e : xml::Reader::read(drawing.narrow)) {
    for (const char* name : {"fill", "stroke"}) {
      const auto color = e.attributes.find(name);
      if (color == e.attributes.end() || color->second == "none") continue;
      EXPECT_THAT(color->second, testing::StartsWith("var(--"));
    }
  }
}

TEST(Chart, EscapesEveryText) {
  const std::string nasty = "<b>&\"'\x01\xFF</b>";
  const LineChart line{.labels = {nasty, nasty, nasty},
                       .series = {{.name = nasty, .x = {1, 2}, .y = {1, 2}}},
                       .references = {{nasty, 1.5}}};
  const BoxChart box{
      .labels = {nasty, nasty, nasty}, .groups = {nasty}, .series = {{nasty, {{1, 2, 3}}}}};
  for (const std::string& svg : {standalone_svg(line), standalone_svg(box)}) {
    ASSERT_NO_THROW((void)xml::Reader::read(svg));
    EXPECT_THAT(svg, Not(HasSubstr("<b>")));
    EXPECT_EQ(xml::Reader::read(svg).at(1).text, "<b>&\"'\uFFFD\uFFFD</b>");
  }
}

TEST(Chart, TellsSeriesApartWithoutColour) {
  std::set<std::string> looks;
  for (std::size_t series = 0; series < 6; ++series) {
    Svg svg(Medium::kFile);
    svg.marker(series, {0, 0}, 1, Color::kNone);
    std::string drawn = svg.document(1, 1, "", "");
    const std::size_t color = drawn.find(" stroke=\"#");
    ASSERT_NE(color, drawn.npos);
    looks.insert(drawn.erase(color, std::string(" stroke=\"#0072b2\"").size()));
  }
  EXPECT_EQ(looks.size(), 6U);
}

TEST(BoxChart, DrawsMedianAndQuartilesWhereTheAxisSaysTheyAre) {
  const std::vector<double> samples{1e-4, 2e-4, 5e-4, 3e-3, 0.2};
  const std::string svg = standalone_svg(BoxChart{.labels = {"t", "x", "y"},
                                                  .groups = {"g"},
                                                  .series = {{"s", {samples}}},
                                                  .y_scale = Scale::kLog10});
  EXPECT_NEAR(all(svg, "median").at(0).number("y1"), height_by_ticks(svg, 5e-4, -4, -1), 0.02);
  const Element box = all(svg, "quartiles").at(0);
  EXPECT_NEAR(box.number("y"), height_by_ticks(svg, 3e-3, -4, -1), 0.02);
  EXPECT_NEAR(box.number("y") + box.number("height"), height_by_ticks(svg, 2e-4, -4, -1), 0.02);
  EXPECT_EQ(all(svg, "outlier").size(), 1U);  // 0.2
}

TEST(BoxChart, CountsWhatItCannotShow) {
  BoxChart chart{.labels = {"t", "x", "y"},
                 .groups = {"g", "empty"},
                 .series = {{"s", {{1, 2, kNan, kInfinity, 3, 0}, {}}}}};
  EXPECT_EQ(all(standalone_svg(chart), "note").at(0).text,
            "Not shown: 2 values that are not finite, or beyond ±10¹⁰⁰.");
  EXPECT_EQ(all(standalone_svg(chart), "box").size(), 1U);
  chart.y_scale = Scale::kLog10;
  EXPECT_EQ(all(standalone_svg(chart), "note").at(0).text,
            "Not shown: 2 values that are not finite, or beyond ±10¹⁰⁰. At the foot of the axis: 1 "
            "value that is not positive.");
}

TEST(LineChart, LeavesAGapWhereAPointCannotBeShownAndCountsIt) {
  const LineChart chart{.labels = {"t", "x", "y"},
                        .y_scale = Scale::kLog10,
                        .series = {{.name = "s", .x = {0, 1, 2, 3, 4}, .y = {1, 2, 0, 4, 8}}}};
  const std::string svg = standalone_svg(chart);
  EXPECT_EQ(all(svg, "line").size(), 2U);  // a piece on each side
  EXPECT_EQ(all(svg, "point").size(), 4U);
  EXPECT_EQ(all(svg, "note").at(0).text,
            "Not shown: 1 point that is not finite, not positive, or outside 10⁻¹⁰⁰ to 10¹⁰⁰.");
}

TEST(LineChart, DrawsAReferenceLineWhereTheAxisSaysItIs) {
  const std::string svg = standalone_svg(sample::decay());
  ASSERT_EQ(all(svg, "reference").size(), 1U);
  EXPECT_NEAR(all(svg, "reference")[0].number("y1"), height_by_ticks(svg, 9.1e-4, -4, 0), 0.02);
}

TEST(LineChart, NamesAReferenceLineAndItsValueInTheLegend) {
  LineChart chart{.labels = {"t", "x", "y"},
                  .series = {{.name = "s", .x = {0, 1}, .y = {0, 1}}},
                  .references = {{"bound", 0.5}}};
  EXPECT_EQ(all(standalone_svg(chart), "legend").at(1).text, "bound: 0.5");
  chart.references[0].y = kInfinity;
  EXPECT_EQ(all(standalone_svg(chart), "legend").at(1).text, "bound: ∞");
  EXPECT_TRUE(all(standalone_svg(chart), "reference").empty());
}

TEST(LineChart, KeepsALongNoisySeriesSmall) {
  LineSeries s{.name = "noise"};
  for (int k = 0; k < 200000; ++k) {
    s.x.push_back(k);
    s.y.push_back(std::sin(k * 12.9898) * 43758.5453);
  }
  const std::string svg = standalone_svg(LineChart{.labels = {"t", "x", "y"}, .series = {s}});
  EXPECT_LT(svg.size(), 120000U);
}

}  // namespace
}  // namespace sotto::report
