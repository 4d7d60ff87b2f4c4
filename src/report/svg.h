#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/chart.h"

// An SVG document under construction, and the colours and shapes of every drawing.
namespace sotto::report {

// A place in a drawing; y points down.
struct Point {
  double x = 0;
  double y = 0;
};

// The last is the first of the series' colours: series_color() counts on from there.
enum class Color { kNone, kText, kMuted, kGrid, kPaper, kFirstSeries };
[[nodiscard]] Color series_color(std::size_t series);

// How a shape looks. Its kind is its class, by which tests and scripts find it.
struct Look {
  std::string_view kind{};
  Color fill = Color::kNone;
  double opacity = 1;  // of the fill; of the stroke if there is none
  Color stroke = Color::kNone;
  double width = 1;  // of the stroke
  std::string_view dashes{};
};

struct TextLook {
  std::string_view kind{};
  double size = 12;
  Color color = Color::kText;
  std::string_view anchor = "start";  // start | middle | end
  bool bold = false;
  bool halo = false;  // a rim in the paper's colour, for text that stands on lines
  // Wider text is cut short; whoever points at it sees all of it.
  double room = std::numeric_limits<double>::infinity();
};

// All text is escaped; ids are never used, so that any number of drawings can stand in one page.
// Numbers are written with two decimals: a hundredth of a pixel.
class Svg {
 public:
  explicit Svg(Medium medium) : medium_(medium) {}

  void line(Point from, Point to, const Look& look) {
    shape("line", {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}}, look);
  }
  void rect(Point corner, double width, double height, const Look& look) {
    shape("rect", {{"x", corner.x}, {"y", corner.y}, {"width", width}, {"height", height}}, look);
  }
  void circle(Point center, double radius, const Look& look) {
    shape("circle", {{"cx", center.x}, {"cy", center.y}, {"r", radius}}, look);
  }
  void path(const std::string& data, const Look& look) { shape("path", {}, look, data); }
  void text(Point at, std::string_view text, const TextLook& look);

  // The shape of a series, about `radius` wide.
  void marker(std::size_t series, Point center, double radius, Color fill);

  // Shapes that belong together, and what a reader sees who points at them.
  void open_group(std::string_view kind, std::string_view tooltip);
  void close_group() { body_ += "</g>\n"; }

  // The whole document. `title` and `description` are what a screen reader says.
  [[nodiscard]] std::string document(double width, double height, std::string_view title,
                                     std::string_view description) const;

 private:
  using Numbers = std::vector<std::pair<std::string_view, double>>;
  void shape(std::string_view tag, const Numbers& place, const Look& look,
             const std::string& data = "");
  [[nodiscard]] std::string painted(Color color) const;

  Medium medium_;
  std::string body_;
};

// What can be pointed at, but not seen.
inline constexpr Look kHoverArea{.fill = Color::kPaper, .opacity = 0};

// The line of a series. Its dashes, with colour and shape, make 30 series distinct, and six at
// least without colour.
[[nodiscard]] Look series_line(std::size_t series);

// "M1 2L3 4…", for Svg::path.
[[nodiscard]] std::string path_data(const std::vector<Point>& line);

// The CSS variables that inline drawings use, for light, dark and print.
[[nodiscard]] std::string chart_css();

}  // namespace sotto::report
