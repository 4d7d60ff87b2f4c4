#include "report/svg.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "report/text.h"

// Elements as text, in the order in which they are drawn.
namespace sotto::report {
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

// Adding 0 turns −0 into 0.
std::string coordinate(double value) {
  return fmt::format("{}", std::round(value * 100) / 100 + 0.0);
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

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escape(value));
}

}  // namespace

void Svg::shape(std::string_view tag, const Attributes& place, const Look& look) {
  body_ += fmt::format("<{}{}", tag, attribute("class", look.kind));
  for (const auto& [name, value] : place) body_ += attribute(name, coordinate(value));
  finish(look);
}

void Svg::finish(const Look& look) {
  body_ += attribute("fill", look.fill);
  if (look.opacity < 1) {
    body_ += attribute(look.fill == "none" ? "stroke-opacity" : "fill-opacity",
                       coordinate(look.opacity));
  }
  body_ += attribute("stroke", look.stroke);
  if (look.width != 1) body_ += attribute("stroke-width", coordinate(look.width));
  body_ += attribute("stroke-dasharray", look.dashes) + "/>\n";
}

void Svg::line(Point from, Point to, const Look& look) {
  shape("line", {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}}, look);
}

void Svg::rect(Point corner, double width, double height, const Look& look) {
  shape("rect", {{"x", corner.x}, {"y", corner.y}, {"width", width}, {"height", height}}, look);
}

void Svg::circle(Point center, double radius, const Look& look) {
  shape("circle", {{"cx", center.x}, {"cy", center.y}, {"r", radius}}, look);
}

void Svg::path(const std::string& data, const Look& look) {
  body_ += "<path" + attribute("class", look.kind) + attribute("d", data) +
           attribute("stroke-linejoin", look.stroke.empty() ? "" : "round");
  finish(look);
}

void Svg::text(Point at, std::string_view text, const TextLook& look) {
  body_ += "<text" + attribute("class", look.kind) + attribute("x", coordinate(at.x)) +
           attribute("y", coordinate(at.y)) + attribute("font-size", coordinate(look.size)) +
           attribute("font-weight", look.bold ? "600" : "") +
           attribute("text-anchor", look.anchor == "start" ? "" : look.anchor) +
           attribute("fill", ink(look.ink));
  if (look.halo) {
    body_ += attribute("stroke", ink(Ink::kPaper)) +
             " stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
  }
  body_ += fmt::format(">{}</text>\n", escape(text));
}

void Svg::marker(std::size_t series, Point center, double radius, const std::string& fill) {
  const Look look{.fill = fill, .stroke = series_color(series), .width = 1.5};
  std::vector<Point> outline = kOutlines[series % kOutlines.size()];
  if (outline.empty()) return circle(center, radius, look);
  for (Point& p : outline) p = {center.x + p.x * radius, center.y + p.y * radius};
  path(path_data(outline) + "Z", look);
}

void Svg::open_group(std::string_view kind, std::string_view tooltip) {
  body_ += fmt::format("<g{}>", attribute("class", kind));
  if (!tooltip.empty()) body_ += fmt::format("<title>{}</title>", escape(tooltip));
}

std::string Svg::ink(Ink ink) const {
  return painted(kInks[static_cast<std::size_t>(ink)], paint_);
}

std::string Svg::series_color(std::size_t series) const {
  return painted(kSeries[series % kSeries.size()], paint_);
}

std::string Svg::document(double width, double height, std::string_view title,
                          std::string_view description) const {
  const std::string w = coordinate(width);
  const std::string h = coordinate(height);
  const bool alone = paint_ == Paint::kStandalone;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\"{}{} role=\"img\"{}>\n"
      "<title>{}</title>\n<desc>{}</desc>\n{}{}</svg>\n",
      w, h, attribute("width", alone ? w : ""), attribute("height", alone ? h : ""),
      attribute("font-family", kFonts), escape(title), escape(description),
      alone
          ? fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", w, h, ink(Ink::kPaper))
          : "",
      body_);
}

std::string_view dash_pattern(std::size_t series) {
  return kDashes[series % kDashes.size()];
}

std::string path_data(const std::vector<Point>& line) {
  std::string text;
  for (const Point& p : line) {
    text += fmt::format("{}{:.2f} {:.2f}", text.empty() ? 'M' : 'L', p.x, p.y);
  }
  return text;
}

std::string chart_css() {
  return fmt::format(
      ":root{{color-scheme:light dark;{0}}}\n"
      "@media (prefers-color-scheme:dark){{:root{{{1}}}}}\n"
      "@media print{{:root{{color-scheme:light;{0}}}}}\n",
      variables(&Color::light), variables(&Color::dark));
}

}  // namespace sotto::report
