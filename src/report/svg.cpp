#include "report/svg.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "report/escape.h"

namespace sotto {
namespace {

struct Color {
  const char* variable;
  const char* light;
  const char* dark;
};

constexpr std::array<Color, 4> kInks{{{"--ink", "#1d2329", "#e4e7eb"},
                                      {"--ink-muted", "#59636e", "#a3adb8"},
                                      {"--rule", "#dfe3e8", "#363d45"},
                                      {"--paper", "#ffffff", "#15191e"}}};

// Okabe and Ito's palette, which stays distinct under every common colour
// blindness; the paler colours are darkened to 3:1 against paper, and all are
// lightened for the dark.
constexpr std::array<Color, 6> kSeries{{{"--series-1", "#0072b2", "#56b4e9"},
                                        {"--series-2", "#d55e00", "#f08a4b"},
                                        {"--series-3", "#009e73", "#2fc59b"},
                                        {"--series-4", "#b4578f", "#e29ac5"},
                                        {"--series-5", "#9a7500", "#e6c02e"},
                                        {"--series-6", "#4a525b", "#c3cad2"}}};

constexpr std::array<std::string_view, 5> kDashes{"", "8 4", "2 3", "10 3 2 3", "4 2"};

constexpr const char* kFonts =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif";

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// The literal colour stands by where the page does not set the variable.
std::string painted(const Color& color, Paint paint) {
  if (paint == Paint::kStandalone) return color.light;
  return fmt::format("var({},{})", color.variable, color.light);
}

std::string variables(const char* Color::*shade) {
  std::string css;
  for (const Color& color : kInks) css += fmt::format("{}:{};", color.variable, color.*shade);
  for (const Color& color : kSeries) css += fmt::format("{}:{};", color.variable, color.*shade);
  return css;
}

std::string start_tag(std::string_view tag, Attributes attributes) {
  std::string text = fmt::format("<{}", tag);
  for (const Attribute& a : attributes) {
    if (!a.value.empty()) text += fmt::format(" {}=\"{}\"", a.name, escape(a.value));
  }
  return text;
}

}  // namespace

Attribute::Attribute(std::string_view attribute_name, std::string attribute_value)
    : name(attribute_name), value(std::move(attribute_value)) {}

Attribute::Attribute(std::string_view attribute_name, double attribute_value)
    : name(attribute_name), value(coordinate(attribute_value)) {}

void Svg::element(std::string_view tag, Attributes attributes) {
  body_ += start_tag(tag, attributes) + "/>\n";
}

void Svg::open(std::string_view tag, Attributes attributes) {
  body_ += start_tag(tag, attributes) + ">";
}

void Svg::close(std::string_view tag) {
  body_ += fmt::format("</{}>\n", tag);
}

void Svg::tooltip(std::string_view text) {
  body_ += fmt::format("<title>{}</title>", escape(text));
}

void Svg::text(double x, double y, std::string_view text, const TextStyle& style) {
  const std::string anchor = style.anchor == "start" ? "" : std::string(style.anchor);
  open("text", {{"class", std::string(style.kind)},
                {"x", x},
                {"y", y},
                {"font-size", style.size},
                {"font-weight", style.bold ? "600" : ""},
                {"text-anchor", anchor},
                {"fill", ink(style.ink)},
                {"stroke", style.halo ? ink(Ink::kPaper) : ""},
                {"stroke-width", style.halo ? "4" : ""},
                {"stroke-linejoin", style.halo ? "round" : ""},
                {"paint-order", style.halo ? "stroke" : ""}});
  body_ += escape(text);
  close("text");
}

std::string Svg::ink(Ink ink) const {
  return painted(kInks[static_cast<std::size_t>(ink)], paint_);
}

std::string Svg::series_color(std::size_t series) const {
  return painted(kSeries[series % kSeries.size()], paint_);
}

std::string Svg::document(double width, double height, std::string_view title,
                          std::string_view description) const {
  const bool alone = paint_ == Paint::kStandalone;
  const std::string view_box = "0 0 " + coordinate(width) + " " + coordinate(height);
  std::string text = start_tag("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                       {"viewBox", view_box},
                                       {"width", alone ? coordinate(width) : ""},
                                       {"height", alone ? coordinate(height) : ""},
                                       {"role", "img"},
                                       {"font-family", kFonts}});
  text +=
      fmt::format(">\n<title>{}</title>\n<desc>{}</desc>\n", escape(title), escape(description));
  if (alone) {
    text += start_tag("rect", {{"width", width}, {"height", height}, {"fill", ink(Ink::kPaper)}}) +
            "/>\n";
  }
  return text + body_ + "</svg>\n";
}

std::string_view dash_pattern(std::size_t series) {
  return kDashes[series % kDashes.size()];
}

void draw_marker(Svg& svg, std::size_t series, double x, double y, double radius,
                 const std::string& fill) {
  const std::string color = svg.series_color(series);
  const std::size_t shape = series % kSeries.size();
  if (shape == 0) {
    svg.element("circle", {{"cx", x},
                           {"cy", y},
                           {"r", radius},
                           {"fill", fill},
                           {"stroke", color},
                           {"stroke-width", 1.5}});
    return;
  }
  struct Offset {
    double x, y;
  };
  static const std::array<std::vector<Offset>, 6> kOutlines{{
      {},
      {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},  // square
      {{0, -1.25}, {1.15, 0.8}, {-1.15, 0.8}},               // triangle
      {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},            // diamond
      {{0, 1.25}, {1.15, -0.8}, {-1.15, -0.8}},              // triangle down
      {{-0.4, -1.2},
       {0.4, -1.2},
       {0.4, -0.4},
       {1.2, -0.4},
       {1.2, 0.4},  // cross
       {0.4, 0.4},
       {0.4, 1.2},
       {-0.4, 1.2},
       {-0.4, 0.4},
       {-1.2, 0.4},
       {-1.2, -0.4},
       {-0.4, -0.4}},
  }};
  std::string points;
  for (const Offset& p : kOutlines[shape]) {
    if (!points.empty()) points += ' ';
    points += coordinate(x + p.x * radius) + "," + coordinate(y + p.y * radius);
  }
  svg.element("polygon", {{"points", points},
                          {"fill", fill},
                          {"stroke", color},
                          {"stroke-width", 1.5},
                          {"stroke-linejoin", "round"}});
}

std::string chart_css() {
  const std::string light = variables(&Color::light);
  return fmt::format(
      ":root{{color-scheme:light dark;{0}}}\n"
      "@media (prefers-color-scheme:dark){{:root{{{1}}}}}\n"
      "@media print{{:root{{color-scheme:light;{0}}}}}\n",
      light, variables(&Color::dark));
}

}  // namespace sotto
