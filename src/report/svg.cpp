#include "report/svg.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "report/text.h"

// Elements as text, in the order in which they are drawn.
namespace sotto::report {
namespace {

struct Shades {
  const char* variable;
  const char* light;
  const char* dark;
};

// From Color::kText on. The series have Okabe and Ito's palette, which stays distinct under
// every common colour blindness; the paler colours are darkened to 3:1 against paper, and all
// are lightened for the dark.
constexpr std::array<Shades, 10> kPalette{{{"--ink", "#1d2329", "#e4e7eb"},
                                           {"--ink-muted", "#59636e", "#a3adb8"},
                                           {"--rule", "#dfe3e8", "#363d45"},
                                           {"--paper", "#ffffff", "#15191e"},
                                           {"--series-1", "#0072b2", "#56b4e9"},
                                           {"--series-2", "#d55e00", "#f08a4b"},
                                           {"--series-3", "#009e73", "#2fc59b"},
                                           {"--series-4", "#b4578f", "#e29ac5"},
                                           {"--series-5", "#9a7500", "#e6c02e"},
                                           {"--series-6", "#4a525b", "#c3cad2"}}};
constexpr std::size_t kSeriesColors = 6;

// The outlines of the series' markers, for a radius of 1; the first is a circle.
const std::array<std::vector<Point>, 6> kOutlines{{
    {},
    {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
    {{0, -1.25}, {1.15, 0.8}, {-1.15, 0.8}},
    {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
    {{0, 1.25}, {1.15, -0.8}, {-1.15, -0.8}},
    {{0, -1.3}, {0.4, -0.4}, {1.3, 0}, {0.4, 0.4}, {0, 1.3}, {-0.4, 0.4}, {-1.3, 0}, {-0.4, -0.4}},
}};

constexpr std::array<std::string_view, 5> kDashes{"", "8 4", "2 3", "10 3 2 3", "4 2"};

constexpr const char* kFonts =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif";

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escape(value));
}

// Adding 0 turns −0 into 0.
std::string attribute(std::string_view name, double value) {
  return attribute(name, fmt::format("{}", std::round(value * 100) / 100 + 0.0));
}

std::string tooltip_html(std::string_view text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", escape(text));
}

}  // namespace

Color series_color(std::size_t series) {
  return static_cast<Color>(static_cast<std::size_t>(Color::kFirstSeries) + series % kSeriesColors);
}

// The literal colour stands by where the page does not set the variable.
std::string Svg::painted(Color color) const {
  if (color == Color::kNone) return "none";
  const Shades& shades = kPalette[static_cast<std::size_t>(color) - 1];
  if (medium_ == Medium::kFile) return shades.light;
  return fmt::format("var({},{})", shades.variable, shades.light);
}

void Svg::shape(std::string_view tag, const Numbers& place, const Look& look,
                const std::string& data) {
  body_ += fmt::format("<{}{}{}", tag, attribute("class", look.kind), attribute("d", data));
  for (const auto& [name, value] : place) body_ += attribute(name, value);
  const bool filled = look.fill != Color::kNone;
  body_ += attribute("fill", painted(look.fill));
  if (look.opacity < 1)
    body_ += attribute(filled ? "fill-opacity" : "stroke-opacity", look.opacity);
  if (look.stroke != Color::kNone) body_ += attribute("stroke", painted(look.stroke));
  if (look.width != 1) body_ += attribute("stroke-width", look.width);
  body_ += attribute("stroke-dasharray", look.dashes) + "/>\n";
}

void Svg::text(Point at, std::string_view text, const TextLook& look) {
  const std::string shown = shorten(text, look.room, look.size);
  body_ += "<text" + attribute("class", look.kind) + attribute("x", at.x) + attribute("y", at.y) +
           attribute("font-size", look.size) + attribute("font-weight", look.bold ? "600" : "") +
           attribute("text-anchor", look.anchor == "start" ? "" : look.anchor) +
           attribute("fill", painted(look.color));
  if (look.halo) {
    body_ +=
        attribute("stroke", painted(Color::kPaper)) + " stroke-width=\"4\" paint-order=\"stroke\"";
  }
  body_ += fmt::format(">{}{}</text>\n", tooltip_html(shown == text ? "" : text), escape(shown));
}

void Svg::marker(std::size_t series, Point center, double radius, Color fill) {
  const Look look{.fill = fill, .stroke = series_color(series), .width = 1.5};
  std::vector<Point> outline = kOutlines[series % kOutlines.size()];
  if (outline.empty()) return circle(center, radius, look);
  for (Point& p : outline) p = {center.x + p.x * radius, center.y + p.y * radius};
  path(path_data(outline) + "Z", look);
}

void Svg::open_group(std::string_view kind, std::string_view tooltip) {
  body_ += fmt::format("<g{}>{}", attribute("class", kind), tooltip_html(tooltip));
}

std::string Svg::document(double width, double height, std::string_view title,
                          std::string_view description) const {
  std::string size;
  std::string background;
  if (medium_ == Medium::kFile) {
    size = attribute("width", width) + attribute("height", height);
    background = fmt::format("<rect{}{}/>\n", size, attribute("fill", painted(Color::kPaper)));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.6g} {:.6g}\"{} role=\"img\" "
      "stroke-linejoin=\"round\"{}>\n"
      "<title>{}</title>\n<desc>{}</desc>\n{}{}</svg>\n",
      width, height, size, attribute("font-family", kFonts), escape(title), escape(description),
      background, body_);
}

Look series_line(std::size_t series) {
  const std::string_view dashes = kDashes[series % kDashes.size()];
  return {.kind = "line", .stroke = series_color(series), .width = 2, .dashes = dashes};
}

std::string path_data(const std::vector<Point>& line) {
  std::string text;
  for (const Point& p : line) {
    text += fmt::format("{}{:.2f} {:.2f}", text.empty() ? 'M' : 'L', p.x, p.y);
  }
  return text;
}

std::string chart_css() {
  const auto variables = [](const char* Shades::*shade) {
    std::string css;
    for (const Shades& color : kPalette) css += fmt::format("{}:{};", color.variable, color.*shade);
    return css;
  };
  return fmt::format(
      ":root{{color-scheme:light dark;{0}}}\n"
      "@media (prefers-color-scheme:dark){{:root{{{1}}}}}\n"
      "@media print{{:root{{color-scheme:light;{0}}}}}\n",
      variables(&Shades::light), variables(&Shades::dark));
}

}  // namespace sotto::report
