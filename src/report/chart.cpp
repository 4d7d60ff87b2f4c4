#include "report/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/statistics.h"
#include "report/frame.h"
#include "report/text.h"

// Charts with two axes. Lines: series of points, with bands, markers to tell them apart without
// colour, and tooltips. Boxes: Tukey's, side by side.
namespace sotto::report {
namespace {

constexpr std::size_t kAllMarked = 24;  // series up to this length get a marker at every point
constexpr double kMarkerSpacing = 80;   // pixels, on longer ones
constexpr double kMarkerRadius = 3.4;
constexpr double kHoverRadius = 8;

constexpr Look kReferenceLook{
    .kind = "reference", .stroke = Color::kText, .width = 1.25, .dashes = "2 3"};

Look band_look(std::size_t series) {
  return {.kind = "band", .fill = series_color(series), .opacity = 0.18};
}

// The indices of the points (x, y) that the axes can show.
std::vector<std::size_t> shown(const LineChart& chart, const LineSeries& s,
                               const std::vector<double>& y) {
  std::vector<std::size_t> points;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (drawable(s.x[k], chart.x_scale) && drawable(y[k], chart.y_scale)) points.push_back(k);
  }
  return points;
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

// The line through some points (x, y), in pieces: a point that is left out is a gap.
std::vector<std::vector<Point>> pieces(const Frame& frame, const LineSeries& s,
                                       const std::vector<double>& y,
                                       const std::vector<std::size_t>& points) {
  std::vector<std::vector<Point>> lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i] != points[i - 1] + 1) lines.emplace_back();
    lines.back().push_back({frame.x(s.x[points[i]]), frame.y(y[points[i]])});
  }
  for (std::vector<Point>& line : lines) line = thinned(line);
  return lines;
}

// A lower edge that is not positive runs along the foot of a logarithmic axis.
void draw_band(Frame& frame, const LineChart& chart, std::size_t i) {
  const LineSeries& s = chart.series[i];
  const std::vector<std::size_t> points = shown(chart, s, s.band.high);
  const auto high = pieces(frame, s, s.band.high, points);
  const auto low = pieces(frame, s, s.band.low, points);
  for (std::size_t k = 0; k < high.size(); ++k) {
    std::vector<Point> outline = high[k];
    outline.insert(outline.end(), low[k].rbegin(), low[k].rend());
    frame.path(path_data(outline) + "Z", band_look(i));
  }
}

// On a long series a few points stand for the rest; those of different series
// are shifted against each other.
void draw_markers(Frame& frame, const LineChart& chart, std::size_t i) {
  const LineSeries& s = chart.series[i];
  const double shift = (static_cast<double>(i) + 0.5) / static_cast<double>(chart.series.size());
  double next = frame.left() + kMarkerSpacing * shift;
  for (const std::size_t k : shown(chart, s, s.y)) {
    const Point p{frame.x(s.x[k]), frame.y(s.y[k])};
    if (s.x.size() > kAllMarked && p.x < next) continue;
    next = p.x + kMarkerSpacing;
    frame.open_group("point",
                     fmt::format("{}\n{} {}\n{} {}", s.name, chart.labels.x, number_text(s.x[k]),
                                 chart.labels.y, number_text(s.y[k])));
    frame.circle(p, kHoverRadius, kHoverArea);
    frame.marker(i, p, kMarkerRadius, Color::kPaper);
    frame.close_group();
  }
}

std::string series_in_words(const LineChart& chart, const LineSeries& s) {
  const std::vector<std::size_t> points = shown(chart, s, s.y);
  if (points.empty()) return s.name + ": no points.";
  const auto [low, high] =
      std::ranges::minmax_element(points, {}, [&](std::size_t k) { return s.y[k]; });
  const auto at = [&](std::size_t k) { return fmt::format("{:.4g} at {:.4g}", s.y[k], s.x[k]); };
  return fmt::format("{}: {} points, from {} to {}; lowest {}, highest {}.", s.name, points.size(),
                     at(points.front()), at(points.back()), at(*low), at(*high));
}

// --- boxes ---

constexpr double kWidestPitch = 57;  // from one box to the next

struct Box {
  std::size_t group = 0;
  std::size_t series = 0;
  std::string name;
  BoxStatistics statistics;
};

Look tinted(std::size_t series) {
  const Color color = series_color(series);
  return {.kind = "quartiles", .fill = color, .opacity = 0.22, .stroke = color, .width = 1.5};
}

std::string in_words(const Box& box) {
  const BoxStatistics& of = box.statistics;
  if (of.count == 0) return box.name + ": no values";
  return fmt::format("{}: median {}, quartiles {} and {}, whiskers {} and {}, {} among {} values",
                     box.name, number_text(of.median), number_text(of.q25), number_text(of.q75),
                     number_text(of.low), number_text(of.high),
                     plural(of.outliers.size(), "outlier", "outliers"), of.count);
}

// One box around x, and its outliers.
void draw_box(Frame& frame, const Box& box, double x, double width) {
  const BoxStatistics& of = box.statistics;
  const Color color = series_color(box.series);
  const double top = frame.y(of.q75);
  const double bottom = frame.y(of.q25);
  const double median = frame.y(of.median);
  const double left = x - width / 2;

  frame.open_group("box", in_words(box));
  for (const auto& [from, to] : {std::pair{bottom, frame.y(of.low)}, {top, frame.y(of.high)}}) {
    frame.path(
        path_data({{x, from}, {x, to}}) + path_data({{x - width / 4, to}, {x + width / 4, to}}),
        {.kind = "whisker", .stroke = color, .width = 1.5});
  }
  // Paper below the tint, so that the grid does not shine through.
  frame.rect({left, top}, width, bottom - top, {.fill = Color::kPaper});
  frame.rect({left, top}, width, bottom - top, tinted(box.series));
  frame.line({left, median}, {left + width, median},
             {.kind = "median", .stroke = color, .width = 2.5});
  frame.marker(box.series, {x, median}, std::min(3.4, width / 5), Color::kPaper);
  frame.close_group();
  for (const double value : of.outliers) {
    frame.open_group("outlier", fmt::format("{}: outlier {}", box.name, number_text(value)));
    frame.marker(box.series, {x, frame.y(value)}, std::min(2.4, width / 4), Color::kNone);
    frame.close_group();
  }
}

}  // namespace

std::string draw(const LineChart& chart, Medium medium) {
  std::vector<LegendEntry> legend;
  std::vector<double> xs;
  std::vector<double> ys;
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const LineSeries& s = chart.series[i];
    check(s.x.size() == s.y.size(), "a series has as many x as y");
    check(s.band.low.size() == s.band.high.size(), "a band has as many lower as upper edges");
    check(s.band.low.empty() || s.band.low.size() == s.x.size(), "a band goes along its series");
    legend.push_back({.name = s.name, .sample = series_line(i), .marker = i});
    legend.push_back({.name = s.band.name, .sample = band_look(i)});
    xs.insert(xs.end(), s.x.begin(), s.x.end());
    for (const auto* y : {&s.y, &s.band.low, &s.band.high})
      ys.insert(ys.end(), y->begin(), y->end());
    skipped += s.x.size() - shown(chart, s, s.y).size();
  }
  for (const ReferenceLine& line : chart.references) {
    ys.push_back(line.y);
    legend.push_back(
        {.name = fmt::format("{}: {}", line.label, number_text(line.y)), .sample = kReferenceLook});
  }

  Frame frame(medium, chart.labels.title, legend);
  const std::string upwards = frame.draw_y_axis(ys, chart.y_scale, chart.labels.y);
  const std::string across = frame.draw_x_axis(xs, chart.x_scale, chart.labels.x);
  std::string words = fmt::format("Line chart. Across: {}. Upwards: {}.", across, upwards);
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_band(frame, chart, i);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const LineSeries& s = chart.series[i];
    for (const std::vector<Point>& line : pieces(frame, s, s.y, shown(chart, s, s.y))) {
      frame.path(path_data(line), series_line(i));
    }
    words += " " + series_in_words(chart, s);
  }
  for (const ReferenceLine& line : chart.references) {
    if (!drawable(line.y, chart.y_scale)) continue;
    const double at = frame.y(line.y);
    frame.line({frame.left(), at}, {frame.right(), at}, kReferenceLook);
    words += fmt::format(" Reference line {} at {:.4g}.", line.label, line.y);
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) draw_markers(frame, chart, i);
  return frame.finish(words, not_shown(skipped, "point", chart.y_scale));
}

std::string draw(const BoxChart& chart, Medium medium) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    check(chart.series[i].samples.size() == chart.groups.size(),
          "a box series has one set per group");
    legend.push_back({.name = chart.series[i].name, .sample = tinted(i), .marker = i});
  }
  std::vector<Box> boxes;
  std::vector<double> values;
  std::size_t skipped = 0;
  std::size_t not_positive = 0;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      std::vector<double> samples = chart.series[i].samples[g];
      skipped += std::erase_if(samples, [](double x) { return !drawable(x, Scale::kLinear); });
      for (const double x : samples) not_positive += x <= 0 ? 1 : 0;
      const BoxStatistics of = box_statistics(samples);
      values.insert(values.end(), {of.low, of.q25, of.median, of.q75, of.high});
      values.insert(values.end(), of.outliers.begin(), of.outliers.end());
      boxes.push_back(
          {g, i, fmt::format("{} {}, {}", chart.labels.x, chart.groups[g], chart.series[i].name),
           of});
    }
  }

  Frame frame(medium, chart.labels.title, legend);
  const std::string upwards = frame.draw_y_axis(values, chart.y_scale, chart.labels.y);
  const double slot = frame.draw_categories(chart.groups, chart.labels.x);
  const double in_slot = static_cast<double>(chart.series.size());
  const double pitch = std::min(slot * 0.8 / in_slot, kWidestPitch);
  std::string words = fmt::format("Box chart. Across: {}. Upwards: {}.", chart.labels.x, upwards);
  for (const Box& box : boxes) {
    const double edge = frame.left() + slot * static_cast<double>(box.group);
    if (box.group > 0 && box.series == 0 && chart.series.size() > 1) {
      frame.line({edge, frame.top()}, {edge, frame.bottom()}, {.stroke = Color::kGrid});
    }
    const double from_middle = static_cast<double>(box.series) - (in_slot - 1) / 2;
    const double x = edge + slot / 2 + from_middle * pitch;
    if (box.statistics.count > 0) draw_box(frame, box, x, pitch * 0.74);
    words += fmt::format(" {}.", in_words(box));
  }
  std::string note = not_shown(skipped, "value", Scale::kLinear);
  if (not_positive > 0 && chart.y_scale == Scale::kLog10) {
    note = join(note, fmt::format("At the foot of the axis: {} not positive.",
                                  plural(not_positive, "value that is", "values that are")));
  }
  return frame.finish(words, note);
}

}  // namespace sotto::report
