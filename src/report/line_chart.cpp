#include "report/line_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "report/frame.h"
#include "report/polyline.h"
#include "report/svg.h"

namespace sotto {
namespace {

constexpr double kColumn =
    0.5;  // pixels, as kTolerance: far below what an eye or a printer resolves
constexpr double kTolerance = 0.08;
constexpr std::size_t kAllMarked = 24;  // series up to this length get a marker at every point
constexpr double kMarkerSpacing = 80;   // pixels, on longer ones
constexpr double kMarkerRadius = 3.4;
constexpr double kHoverRadius = 8;

// Thousands of points as few, without visible loss.
std::vector<Point> thinned(const std::vector<Point>& line) {
  return simplify(decimate(line, kColumn), kTolerance);
}

class Drawing {
 public:
  Drawing(const LineChart& chart, ChartSize size, Paint paint)
      : chart_(chart),
        size_(size),
        svg_(paint),
        frame_(svg_, size, chart.labels, legend(),
               fit_axis(y_values(), chart.y_scale, most_y_labels(size))),
        x_axis_(frame_.draw_x_axis(x_values(), chart.x_scale, chart.labels.x)) {}

  std::string render() {
    std::vector<Point> drawn;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_band(i);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_line(i, drawn);
    frame_.draw_references(chart_.references, drawn);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_markers(i);
    if (const std::string note = skipped_in_words(); !note.empty()) frame_.draw_note(note);
    return svg_.document(size_.width, frame_.height(), chart_.labels.title, in_words());
  }

 private:
  [[nodiscard]] bool shown(const LineSeries& s, std::size_t k) const {
    return drawable(s.x[k], chart_.x_scale) && drawable(s.y[k], chart_.y_scale);
  }

  [[nodiscard]] Point place(double x, double y) const {
    return {frame_.x(x_axis_, x), frame_.y(y)};
  }

  [[nodiscard]] std::vector<double> x_values() const {
    std::vector<double> values;
    for (const LineSeries& s : chart_.series) {
      for (std::size_t k = 0; k < s.x.size(); ++k) {
        if (shown(s, k)) values.push_back(s.x[k]);
      }
    }
    return values;
  }

  [[nodiscard]] std::vector<double> y_values() const {
    std::vector<double> values;
    for (const LineSeries& s : chart_.series) {
      for (std::size_t k = 0; k < s.x.size(); ++k) {
        if (shown(s, k)) values.push_back(s.y[k]);
      }
      values.insert(values.end(), s.band.low.begin(), s.band.low.end());
      values.insert(values.end(), s.band.high.begin(), s.band.high.end());
    }
    for (const ReferenceLine& line : chart_.references) values.push_back(line.y);
    return values;
  }

  // Calls `draw` with every maximal run [from, to) of indices that `good` holds for.
  template <class Good, class Draw>
  static void each_run(std::size_t size, Good good, Draw draw) {
    for (std::size_t from = 0; from < size; ++from) {
      if (!good(from)) continue;
      std::size_t to = from;
      while (to < size && good(to)) ++to;
      draw(from, to);
      from = to;
    }
  }

  void draw_band(std::size_t i) {
    const LineSeries& s = chart_.series[i];
    // A lower edge that is not positive runs along the foot of a logarithmic axis.
    const auto good = [&](std::size_t k) {
      return drawable(s.x[k], chart_.x_scale) && std::isfinite(s.band.low[k]) &&
             drawable(s.band.high[k], chart_.y_scale);
    };
    each_run(s.band.low.size(), good, [&](std::size_t from, std::size_t to) {
      std::vector<Point> low;
      std::vector<Point> outline;
      for (std::size_t k = from; k < to; ++k) {
        low.push_back(place(s.x[k], s.band.low[k]));
        outline.push_back(place(s.x[k], s.band.high[k]));
      }
      low = thinned(low);
      outline = thinned(outline);
      outline.insert(outline.end(), low.rbegin(), low.rend());
      svg_.element("path", {{"class", "band"},
                            {"d", path_data(outline) + "Z"},
                            {"fill", svg_.series_color(i)},
                            {"fill-opacity", 0.18}});
    });
  }

  void draw_line(std::size_t i, std::vector<Point>& drawn) {
    const LineSeries& s = chart_.series[i];
    const auto good = [&](std::size_t k) { return shown(s, k); };
    each_run(s.x.size(), good, [&](std::size_t from, std::size_t to) {
      std::vector<Point> line;
      for (std::size_t k = from; k < to; ++k) line.push_back(place(s.x[k], s.y[k]));
      line = thinned(line);
      svg_.element("path", {{"class", "line"},
                            {"d", path_data(line)},
                            {"fill", "none"},
                            {"stroke", svg_.series_color(i)},
                            {"stroke-width", 2},
                            {"stroke-linejoin", "round"},
                            {"stroke-dasharray", std::string(dash_pattern(i))}});
      const std::vector<Point> covered = along(line, 4);
      drawn.insert(drawn.end(), covered.begin(), covered.end());
    });
  }

  // On a long series a few points stand for the rest; those of different series
  // are shifted against each other.
  void draw_markers(std::size_t i) {
    const LineSeries& s = chart_.series[i];
    const double series = static_cast<double>(chart_.series.size());
    double next = frame_.left() + kMarkerSpacing * (static_cast<double>(i) + 0.5) / series;
    double last = -kMarkerSpacing;
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      if (!shown(s, k)) continue;
      const Point p = place(s.x[k], s.y[k]);
      if (s.x.size() > kAllMarked && (p.x < next || p.x - last < kMarkerSpacing / 2)) continue;
      last = p.x;
      while (next <= p.x) next += kMarkerSpacing;
      svg_.open("g", {{"class", "point"}});
      const std::string name = s.name.empty() ? "" : s.name + "\n";
      svg_.tooltip(fmt::format("{}{} {}\n{} {}", name, chart_.labels.x, number_text(s.x[k]),
                               chart_.labels.y, number_text(s.y[k])));
      svg_.element(
          "circle",
          {{"cx", p.x}, {"cy", p.y}, {"r", kHoverRadius}, {"fill", "#000"}, {"fill-opacity", 0.0}});
      draw_marker(svg_, i, p.x, p.y, kMarkerRadius, svg_.ink(Ink::kPaper));
      svg_.close("g");
    }
  }

  [[nodiscard]] std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      entries.push_back({chart_.series[i].name, [i](Svg& svg, double x, double y) {
                           svg.element("line",
                                       {{"x1", x},
                                        {"x2", x + kLegendSampleWidth},
                                        {"y1", y},
                                        {"y2", y},
                                        {"stroke", svg.series_color(i)},
                                        {"stroke-width", 2},
                                        {"stroke-dasharray", std::string(dash_pattern(i))}});
                           draw_marker(svg, i, x + kLegendSampleWidth / 2, y, kMarkerRadius,
                                       svg.ink(Ink::kPaper));
                         }});
      entries.push_back({chart_.series[i].band.name, [i](Svg& svg, double x, double y) {
                           svg.element("rect", {{"x", x},
                                                {"y", y - 6},
                                                {"width", kLegendSampleWidth},
                                                {"height", 12},
                                                {"fill", svg.series_color(i)},
                                                {"fill-opacity", 0.18}});
                         }});
    }
    return entries;
  }

  [[nodiscard]] std::string skipped_in_words() const {
    std::size_t skipped = 0;
    for (const LineSeries& s : chart_.series) {
      for (std::size_t k = 0; k < s.x.size(); ++k) skipped += shown(s, k) ? 0 : 1;
    }
    if (skipped == 0) return "";
    const bool log = chart_.x_scale == Scale::kLog10 || chart_.y_scale == Scale::kLog10;
    return fmt::format("Not shown: {} point{} that {} not finite{}.", skipped,
                       skipped == 1 ? "" : "s", skipped == 1 ? "is" : "are",
                       log ? " or not positive" : "");
  }

  [[nodiscard]] std::string in_words() const {
    std::string text =
        fmt::format("Line chart. Across: {}. Upwards: {}.", axis_in_words(chart_.labels.x, x_axis_),
                    axis_in_words(chart_.labels.y, frame_.y_axis()));
    for (const LineSeries& s : chart_.series) text += fmt::format(" {}", series_in_words(s));
    for (const ReferenceLine& line : chart_.references) {
      text += fmt::format(" Reference line {} at {:.4g}.", line.label, line.y);
    }
    if (const std::string note = skipped_in_words(); !note.empty())
      text += fmt::format(" {}", note);
    return text;
  }

  [[nodiscard]] std::string series_in_words(const LineSeries& s) const {
    std::vector<std::size_t> indices;
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      if (shown(s, k)) indices.push_back(k);
    }
    const std::string name = s.name.empty() ? "The series" : s.name;
    if (indices.empty()) return name + ": no points.";
    const auto by_y = [&](std::size_t a, std::size_t b) { return s.y[a] < s.y[b]; };
    const auto [low, high] = std::ranges::minmax_element(indices, by_y);
    const std::size_t first = indices.front();
    const std::size_t last = indices.back();
    return fmt::format(
        "{}: {} points, from {:.4g} at {:.4g} to {:.4g} at {:.4g}; lowest {:.4g} at {:.4g}, "
        "highest "
        "{:.4g} at {:.4g}.",
        name, indices.size(), s.y[first], s.x[first], s.y[last], s.x[last], s.y[*low], s.x[*low],
        s.y[*high], s.x[*high]);
  }

  const LineChart& chart_;
  ChartSize size_;
  Svg svg_;
  Frame frame_;
  Axis x_axis_;
};

std::string draw(const LineChart& chart, ChartSize size, Paint paint) {
  for (const LineSeries& s : chart.series) {
    check(s.x.size() == s.y.size(), "a series has as many x as y");
    check(s.band.low.size() == s.band.high.size(), "a band has as many lower as upper edges");
    check(s.band.low.empty() || s.band.low.size() == s.x.size(), "a band goes along its series");
  }
  return Drawing(chart, size, paint).render();
}

}  // namespace

std::string standalone_svg(const LineChart& chart) {
  return draw(chart, kWideChart, Paint::kStandalone);
}

InlineSvg inline_svg(const LineChart& chart) {
  return {.wide = draw(chart, kWideChart, Paint::kInline),
          .narrow = draw(chart, kNarrowChart, Paint::kInline)};
}

}  // namespace sotto
