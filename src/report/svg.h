#pragma once

#include <cstddef>
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

enum class Ink { kText, kMuted, kGrid, kPaper };

// How a shape looks. Its kind is its class, by which tests and scripts find it.
struct Look {
  std::string_view kind{};
  std::string fill = "none";
  double opacity = 1;  // of the fill; of the stroke if there is none
  std::string stroke{};
  double width = 1;  // of the stroke
  std::string_view dashes{};
};

struct TextLook {
  double size = 12;
  Ink ink = Ink::kText;
  std::string_view anchor = "start";  // start | middle | end
  bool bold = false;
  bool halo = false;  // a rim in the paper's colour, for text that stands on lines
  std::string_view kind{};
};

// All text is escaped; ids are never used, so that any number of drawings can stand in one page.
// Numbers are written with two decimals: a hundredth of a pixel.
class Svg {
 public:
  explicit Svg(Paint paint) : paint_(paint) {}

  void line(Point from, Point to, const Look& look);
  void rect(Point corner, double width, double height, const Look& look);
  void circle(Point center, double radius, const Look& look);
  void path(const std::string& data, const Look& look);
  void text(Point at, std::string_view text, const TextLook& look);

  // The shape of a series, about `radius` wide.
  void marker(std::size_t series, Point center, double radius, const std::string& fill);

  // Shapes that belong together, and what a reader sees who points at them.
  void open_group(std::string_view kind, std::string_view tooltip = "");
  void close_group() { body_ += "</g>\n"; }

  [[nodiscard]] std::string ink(Ink ink) const;
  [[nodiscard]] std::string series_color(std::size_t series) const;

  // The whole document. `title` and `description` are what a screen reader says.
  [[nodiscard]] std::string document(double width, double height, std::string_view title,
                                     std::string_view description) const;

 private:
  using Attributes = std::vector<std::pair<std::string_view, double>>;
  void shape(std::string_view tag, const Attributes& place, const Look& look);
  void finish(const Look& look);

  Paint paint_;
  std::string body_;
};

// What can be pointed at, but not seen.
inline const Look kHoverArea{.fill = "#000", .opacity = 0};

// The dash pattern of a series; empty for a solid line. Together with colour and
// shape it makes 30 series distinct, each without its colour six at least.
[[nodiscard]] std::string_view dash_pattern(std::size_t series);

// "M1 2L3 4…", for Svg::path.
[[nodiscard]] std::string path_data(const std::vector<Point>& line);

// The CSS variables that inline drawings use, for light, dark and print.
[[nodiscard]] std::string chart_css();

}  // namespace sotto::report
