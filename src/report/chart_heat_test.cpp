#include <gmock/gmock.h>

#include "report/chart.h"
#include "support/xml.h"

namespace sotto::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using xml::all;
using xml::Element;

HeatMap map_of(std::size_t n) {
  HeatMap map{.title = "Correlations"};
  for (std::size_t i = 0; i < n; ++i) {
    map.names.push_back("column_" + std::to_string(i + 1));
    map.cells.emplace_back(n, HeatMap::Cell{.value = 0.25, .words = ""});
    map.cells[i][i].value = 1;
  }
  return map;
}

TEST(HeatMap, HasASquareForEachPairWithItsNumber) {
  HeatMap map = map_of(3);
  map.cells[0][2] = {.value = -0.5, .words = "a and c: −0.50 ± 0.10"};
  map.cells[1][2] = {.value = {}, .words = "b and c: lost in the noise"};
  const std::string svg = standalone_svg(map);
  EXPECT_EQ(all(svg, "heat").size(), 9U);
  const std::vector<Element> values = all(svg, "value");
  ASSERT_EQ(values.size(), 9U);
  EXPECT_EQ(values[0].text, "1.00");
  EXPECT_EQ(values[2].text, "−0.50");
  EXPECT_EQ(values[5].text, "?");
  EXPECT_THAT(svg, HasSubstr("a and c: −0.50 ± 0.10"));
}

TEST(HeatMap, IsNoStrongerThanItsNumbersCanBeReadOn) {
  for (const Element& e : xml::Reader::read(standalone_svg(map_of(4)))) {
    const auto opacity = e.attributes.find("fill-opacity");
    if (opacity == e.attributes.end()) continue;
    EXPECT_LE(std::stod(opacity->second), 0.5);
  }
}

TEST(HeatMap, LeavesNumbersOutWhereThereIsNoRoom) {
  EXPECT_TRUE(all(draw(map_of(25), Medium::kTelephone), "value").empty());
  EXPECT_EQ(all(draw(map_of(25), Medium::kTelephone), "heat").size(), 625U);
}

TEST(HeatMap, EscapesNames) {
  HeatMap map = map_of(1);
  map.names[0] = "<script>";
  EXPECT_THAT(standalone_svg(map), Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace sotto::report
