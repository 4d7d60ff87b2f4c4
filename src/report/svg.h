#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// Where a drawing takes its colours from: fixed ones in a file of its own, the
// page's CSS variables (light and dark) inside HTML.
enum class Paint { kStandalone, kInline };

enum class Ink { kText, kMuted, kGrid, kPaper };

// Numbers are written with two decimals: a hundredth of a pixel.
struct Attribute {
  Attribute(std::string_view attribute_name, std::string attribute_value);
  Attribute(std::string_view attribute_name, double attribute_value);
  std::string_view name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

struct TextStyle {
  double size = 12;
  Ink ink = Ink::kText;
  std::string_view anchor = "start";  // start | middle | end
  bool bold = false;
  bool halo = false;  // a rim in the paper's colour, for text that stands on lines
  std::string_view kind = "label";
};

// An SVG document under construction. All text is escaped; ids are never used,
// so that any number of drawings can stand in one page.
class Svg {
 public:
  explicit Svg(Paint paint) : paint_(paint) {}

  void element(std::string_view tag, Attributes attributes);
  void open(std::string_view tag, Attributes attributes = {});
  void close(std::string_view tag);
  // The tooltip of the element that was opened last.
  void tooltip(std::string_view text);
  void text(double x, double y, std::string_view text, const TextStyle& style);

  [[nodiscard]] std::string ink(Ink ink) const;
  [[nodiscard]] std::string series_color(std::size_t series) const;

  // The whole document. `title` and `description` are what a screen reader says.
  [[nodiscard]] std::string document(double width, double height, std::string_view title,
                                     std::string_view description) const;

 private:
  Paint paint_;
  std::string body_;
};

// The dash pattern of a series; empty for a solid line. Together with colour and
// shape it makes 30 series distinct, each without its colour six at least.
[[nodiscard]] std::string_view dash_pattern(std::size_t series);

// The shape of a series, about `radius` wide, around (x, y).
void draw_marker(Svg& svg, std::size_t series, double x, double y, double radius,
                 const std::string& fill);

// A bound on the width of `text`: the metrics of a wide system font (DejaVu Sans).
[[nodiscard]] double text_width(std::string_view text, double size, bool bold = false);

// `text` in lines no wider than `width`, broken at spaces; a word that is too long is cut short.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, double width, double size,
                                                 bool bold = false);

// `text`, cut short with … if it is wider than `width`.
[[nodiscard]] std::string shorten(std::string_view text, double width, double size,
                                  bool bold = false);

// The CSS variables that inline drawings use, for light, dark and print.
[[nodiscard]] std::string chart_css();

}  // namespace sotto
