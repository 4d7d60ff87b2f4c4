#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Series of points as lines, with bands, markers to tell them apart without colour, and tooltips.
namespace sotto::report {
namespace {

constexpr std::size_t kAllMarked = 24;  // series up to this length get a marker at every point
constexpr double kMarkerSpacing = 80;   // pixels, on longer ones
constexpr double kMarkerRadius = 3.4;
constexpr double kHoverRadius = 8;

Look line_look(const Svg& svg, std::size_t series) {
  return {.kind = "line",
          .stroke = svg.series_color(series),
          .width = 2,
          .dashes = dash_pattern(series)};
}

Look band_look(const Svg& svg, std::size_t series) {
  return {.kind = "band", .fill = svg.series_color(series), .opacity = 0.18};
}

bool shown(const LineChart& chart, const LineSeries& s, std::size_t k) {
  return drawable(s.x[k], Scale::kLinear) && drawable(s.y[k], chart.y_scale);
}

// Of points that follow each other within one column of half a pixel, only the first, the
// lowest, the highest and the last: no pixel changes (M4: Jugel et al. 2014).
std::vector<Point> thinned(const std::vector<Point>& line) {
  const auto column = [&](std::size_t i) { return std::floor(2 * line[i].x); };
  std::vector<Point> kept;
  for (std::size_t from = 0, to = 0; from < line.size(); from = to) {
    std::size_t low = from;
    std::size_t high = from;
    for (to = from; to < line.size() && column(to) == column(from); ++to) {
      if (line[to].y < line[low].y) low = to;
      if (line[to].y > line[high].y) high = to;
    }
    for (const std::size_t i : std::set{from, low, high, to - 1}) kept.push_back(line[i]);
  }
  return kept;
}

// Calls `draw` with every maximal run [from, to) of indices that `good` holds for.
template <class Good, class Draw>
void each_run(std::size_t size, Good good, Draw draw) {
  for (std::size_t from = 0; from < size; ++from) {
    if (!good(from)) continue;
    std::size_t to = from;
    while (to < size && good(to)) ++to;
    draw(from, to);
    from = to;
  }
}

// y of each index in [from, to), at its x.
std::vector<Point> places(const Frame& frame, const LineSeries& s, const std::vector<double>& y,
                          std::size_t from, std::size_t to) {
  std::vector<Point> line;
  for (std::size_t k = from; k < to; ++k) line.push_back({frame.x(s.x[k]), frame.y(y[k])});
  return thinned(line);
}

void draw_band(Svg& svg, const Frame& frame, const LineChart& chart, std::size_t i) {
  const LineSeries& s = chart.series[i];
  // A lower edge that is not positive runs along the foot of a logarithmic axis.
  const auto good = [&](std::size_t k) {
    return drawable(s.x[k], Scale::kLinear) && std::isfinite(s.band.low[k]) &&
           drawable(s.band.high[k], chart.y_scale);
  };
  each_run(s.band.low.size(), good, [&](std::size_t from, std::size_t to) {
    std::vector<Point> outline = places(frame, s, s.band.high, from, to);
    const std::vector<Point> low = places(frame, s, s.band.low, from, to);
    outline.insert(outline.end(), low.rbegin(), low.rend());
    svg.path(path_data(outline) + "Z", band_look(svg, i));
  });
}

void draw_line(Svg& svg, const Frame& frame, const LineChart& chart, std::size_t i) {
  const LineSeries& s = chart.series[i];
  const auto good = [&](std::size_t k) { return shown(chart, s, k); };
  each_run(s.x.size(), good, [&](std::size_t from, std::size_t to) {
    const std::vector<Point> line = places(frame, s, s.y, from, to);
    svg.path(
        path_data(line),
        {.kind = "line", .stroke = svg.series_color(i), .width = 2, .dashes = dash_pattern(i)});
  });
}

// On a long series a few points stand for the rest; those of different series
// are shifted against each other.
void draw_markers(Svg& svg, const Frame& frame, const LineChart& chart, std::size_t i) {
  const LineSeries& s = chart.series[i];
  const double shift = (static_cast<double>(i) + 0.5) / static_cast<double>(chart.series.size());
  double next = frame.left() + kMarkerSpacing * shift;
  double last = -kMarkerSpacing;
  for (std::size_t k = 0; k < s.x.size(); ++k) {
    if (!shown(chart, s, k)) continue;
    const Point p{frame.x(s.x[k]), frame.y(s.y[k])};
    if (s.x.size() > kAllMarked && (p.x < next || p.x - last < kMarkerSpacing / 2)) continue;
    last = p.x;
    while (next <= p.x) next += kMarkerSpacing;
    svg.open_group(
        "point", fmt::format("{}{}{} {}\n{} {}", s.name, s.name.empty() ? "" : "\n", chart.labels.x,
                             number_text(s.x[k]), chart.labels.y, number_text(s.y[k])));
    svg.circle(p, kHoverRadius, kHoverArea);
    svg.marker(i, p, kMarkerRadius, svg.ink(Ink::kPaper));
    svg.close_group();
  }
}

// Whether some series passes right of `left` between two heights.
bool passes(const Frame& frame, const LineChart& chart, double left, double top, double bottom) {
  for (const LineSeries& s : chart.series) {
    for (std::size_t k = 1; k < s.x.size(); ++k) {
      const double from = frame.y(s.y[k - 1]);
      const double to = frame.y(s.y[k]);
      if (std::max(frame.x(s.x[k - 1]), frame.x(s.x[k])) > left && std::min(from, to) < bottom &&
          std::max(from, to) > top) {
        return true;
      }
    }
  }
  return false;
}

// A label above the right end of its line, below it where it would hide data, or else with its
// value below the chart.
void draw_reference(Svg& svg, Frame& frame, const LineChart& chart, const ReferenceLine& line) {
  constexpr double kLabel = 12;
  if (!drawable(line.y, chart.y_scale)) return;
  const double at = frame.y(line.y);
  const Look dotted{
      .kind = "reference", .stroke = svg.ink(Ink::kText), .width = 1.25, .dashes = "2 3"};
  svg.line({frame.left(), at}, {frame.right(), at}, dotted);
  const double right = frame.right() - 4;
  const std::string label = shorten(line.label, right - frame.left(), kLabel);
  const double left = right - text_width(label, kLabel);
  for (const double foot : {at - 3, at + kLabel + 5}) {
    const bool taken = std::ranges::any_of(chart.references, [&](const ReferenceLine& other) {
      return &other < &line && std::abs(frame.y(other.y) - at) < 2 * kLabel;
    });
    if (taken || foot - kLabel < frame.top() || foot > frame.bottom() ||
        passes(frame, chart, left, foot - kLabel - 2, foot)) {
      continue;
    }
    return svg.text({right, foot - 3}, label,
                    {.size = kLabel, .anchor = "end", .halo = true, .kind = "reference"});
  }
  svg.line({kMargin, frame.height() + 6}, {kMargin + kLegendSample, frame.height() + 6}, dotted);
  frame.draw_note(fmt::format("{} ({})", line.label, number_text(line.y)), kLegendSample + 7);
}

std::vector<LegendEntry> legend_of(const Svg& svg, const LineChart& chart) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    entries.push_back({.name = chart.series[i].name,
                       .line = line_look(svg, i),
                       .marker = i,
                       .fill = svg.ink(Ink::kPaper)});
    entries.push_back({.name = chart.series[i].band.name, .patch = band_look(svg, i)});
  }
  return entries;
}

std::string skipped_in_words(const LineChart& chart) {
  std::size_t skipped = 0;
  for (const LineSeries& s : chart.series) {
    for (std::size_t k = 0; k < s.x.size(); ++k) skipped += shown(chart, s, k) ? 0 : 1;
  }
  if (skipped == 0) return "";
  return fmt::format("Not shown: {} not finite{}.",
                     plural(skipped, "point that is", "points that are"),
                     chart.y_scale == Scale::kLog10 ? " or not positive" : "");
}

std::string series_in_words(const LineChart& chart, const LineSeries& s) {
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < s.x.size(); ++k) {
    if (shown(chart, s, k)) indices.push_back(k);
  }
  if (indices.empty()) return s.name + ": no points.";
  const auto [low, high] =
      std::ranges::minmax_element(indices, {}, [&](std::size_t k) { return s.y[k]; });
  const auto at = [&](std::size_t k) { return fmt::format("{:.4g} at {:.4g}", s.y[k], s.x[k]); };
  return fmt::format("{}: {} points, from {} to {}; lowest {}, highest {}.", s.name, indices.size(),
                     at(indices.front()), at(indices.back()), at(*low), at(*high));
}

std::string in_words(const LineChart& chart, const Frame& frame) {
  std::string text =
      fmt::format("Line chart. Across: {}. Upwards: {}.", frame.x_axis().in_words(chart.labels.x),
                  frame.y_axis().in_words(chart.labels.y));
  for (const LineSeries& s : chart.series) text += " " + series_in_words(chart, s);
  for (const ReferenceLine& line : chart.references) {
    text += fmt::format(" Reference line {} at {:.4g}.", line.label, line.y);
  }
  return join(text, skipped_in_words(chart));
}

}  // namespace
}  // namespace sotto::report

namespace sotto {

std::string draw(const LineChart& chart, ChartSize size, Paint paint) {
  using namespace report;
  std::vector<double> xs;
  std::vector<double> ys;
  for (const LineSeries& s : chart.series) {
    check(s.x.size() == s.y.size(), "a series has as many x as y");
    check(s.band.low.size() == s.band.high.size(), "a band has as many lower as upper edges");
    check(s.band.low.empty() || s.band.low.size() == s.x.size(), "a band goes along its series");
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      if (!shown(chart, s, k)) continue;
      xs.push_back(s.x[k]);
      ys.push_back(s.y[k]);
    }
    ys.insert(ys.end(), s.band.low.begin(), s.band.low.end());
    ys.insert(ys.end(), s.band.high.begin(), s.band.high.end());
  }
  for (const ReferenceLine& line : chart.references) ys.push_back(line.y);

  Svg svg(paint);
  Frame frame(svg, size, chart.labels.title, legend_of(svg, chart));
  frame.draw_y_axis(ys, chart.y_scale, chart.labels.y);
  frame.draw_x_axis(xs, Scale::kLinear, chart.labels.x, false);
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_band(svg, frame, chart, i);
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_line(svg, frame, chart, i);
  for (const ReferenceLine& line : chart.references) draw_reference(svg, frame, chart, line);
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_markers(svg, frame, chart, i);
  frame.draw_note(skipped_in_words(chart));
  return svg.document(size.width, frame.height(), chart.labels.title, in_words(chart, frame));
}

}  // namespace sotto
