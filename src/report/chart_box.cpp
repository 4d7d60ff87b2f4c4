#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/statistics.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Tukey's boxes, side by side.
namespace sotto::report {
namespace {

constexpr double kWidestPitch = 57;  // from one box to the next
constexpr double kTint = 0.22;       // opacity of a box's inside
constexpr double kBoxMarker = 3.4;

using BoxTable = std::vector<std::vector<BoxStatistics>>;  // [series][group]

Look tinted(const Svg& svg, std::size_t series, std::string_view kind) {
  return {.kind = kind,
          .fill = svg.series_color(series),
          .opacity = kTint,
          .stroke = svg.series_color(series),
          .width = 1.5};
}

std::vector<LegendEntry> legend_of(const Svg& svg, const BoxChart& chart) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    entries.push_back({.name = chart.series[i].name,
                       .patch = tinted(svg, i, "legend-box"),
                       .marker = i,
                       .fill = svg.ink(Ink::kPaper)});
  }
  return entries;
}

std::string remarks(const BoxChart& chart, const BoxTable& table) {
  std::size_t not_finite = 0;
  std::size_t not_positive = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (const BoxStatistics& box : table[i]) not_finite += box.skipped;
    for (const auto& samples : chart.series[i].samples) {
      not_positive += static_cast<std::size_t>(
          std::ranges::count_if(samples, [](double x) { return std::isfinite(x) && x <= 0; }));
    }
  }
  const auto that_are = [](std::size_t count, std::string_view what) {
    return fmt::format("{} {}.", plural(count, "value that is", "values that are"), what);
  };
  std::string text;
  if (not_finite > 0) text = "Not shown: " + that_are(not_finite, "not finite");
  if (not_positive > 0 && chart.y_scale == Scale::kLog10) {
    text = join(text, "At the foot of the axis: " + that_are(not_positive, "not positive"));
  }
  return text;
}

std::string in_words(const BoxChart& chart, const BoxTable& table, const Frame& frame) {
  std::string text = fmt::format("Box chart. Across: {}. Upwards: {}.", chart.labels.x,
                                 frame.y_axis().in_words(chart.labels.y));
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const BoxStatistics& box = table[i][g];
      text += fmt::format(" {}, {}: ", chart.groups[g], chart.series[i].name);
      text += box.count == 0
                  ? "no values."
                  : fmt::format(
                        "median {:.4g}, quartiles {:.4g} and {:.4g}, whiskers {:.4g} and "
                        "{:.4g}, {}.",
                        box.median, box.q25, box.q75, box.low, box.high,
                        plural(box.outliers.size(), "outlier", "outliers"));
    }
  }
  return join(text, remarks(chart, table));
}

// One box around x, and its outliers.
void draw_box(Svg& svg, const Frame& frame, std::size_t series, const BoxStatistics& box, double x,
              double width, const std::string& name) {
  const std::string color = svg.series_color(series);
  const double top = frame.y(box.q75);
  const double bottom = frame.y(box.q25);
  const double median = frame.y(box.median);
  const double left = x - width / 2;
  const double right = x + width / 2;

  svg.open_group(
      "box",
      fmt::format("{}\nmedian {}\nquartiles {} to {}\nwhiskers {} to {}\n{} of {} are outliers",
                  name, number_text(box.median), number_text(box.q25), number_text(box.q75),
                  number_text(box.low), number_text(box.high), box.outliers.size(), box.count));
  for (const auto& [from, to] : {std::pair{bottom, frame.y(box.low)}, {top, frame.y(box.high)}}) {
    svg.path(fmt::format("M{0:.2f} {1:.2f}V{2:.2f}M{3:.2f} {2:.2f}H{4:.2f}", x, from, to,
                         x - width / 4, x + width / 4),
             {.kind = "whisker", .stroke = color, .width = 1.5});
  }
  // Paper below the tint, so that the grid does not shine through.
  svg.rect({left, top}, width, bottom - top, {.fill = svg.ink(Ink::kPaper)});
  svg.rect({left, top}, width, bottom - top, tinted(svg, series, "quartiles"));
  svg.line({left, median}, {right, median}, {.kind = "median", .stroke = color, .width = 2.5});
  svg.marker(series, {x, median}, std::min(kBoxMarker, width / 5), svg.ink(Ink::kPaper));
  svg.close_group();
  for (const double value : box.outliers) {
    svg.open_group("outlier", fmt::format("{}\noutlier {}", name, number_text(value)));
    svg.marker(series, {x, frame.y(value)}, std::min(2.4, width / 4), "none");
    svg.close_group();
  }
}

}  // namespace
}  // namespace sotto::report

namespace sotto {

std::string draw(const BoxChart& chart, ChartSize size, Paint paint) {
  using namespace report;
  BoxTable table;
  std::vector<double> values;
  for (const BoxSeries& series : chart.series) {
    check(series.samples.size() == chart.groups.size(), "a box series has one set per group");
    table.emplace_back();
    for (const auto& samples : series.samples) {
      const BoxStatistics& box = table.back().emplace_back(box_statistics(samples));
      values.insert(values.end(), {box.low, box.q25, box.median, box.q75, box.high});
      values.insert(values.end(), box.outliers.begin(), box.outliers.end());
    }
  }

  Svg svg(paint);
  Frame frame(svg, size, chart.labels.title, legend_of(svg, chart));
  frame.draw_y_axis(values, chart.y_scale, chart.labels.y);
  frame.draw_categories(chart.groups, chart.labels.x);
  const double slot = frame.slot_width(chart.groups.size());
  const double boxes = static_cast<double>(std::max<std::size_t>(table.size(), 1));
  const double pitch = std::min(slot * 0.8 / boxes, kWidestPitch);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double edge = frame.left() + slot * static_cast<double>(g);
    if (g > 0 && table.size() > 1) {
      svg.line({edge, frame.top()}, {edge, frame.bottom()}, {.stroke = svg.ink(Ink::kGrid)});
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i][g].count == 0) continue;
      const double x = edge + slot / 2 + (static_cast<double>(i) - (boxes - 1) / 2) * pitch;
      draw_box(svg, frame, i, table[i][g], x, pitch * 0.74,
               fmt::format("{}, {} {}", chart.series[i].name, chart.labels.x, chart.groups[g]));
    }
  }
  frame.draw_note(remarks(chart, table));
  return svg.document(size.width, frame.height(), chart.labels.title,
                      in_words(chart, table, frame));
}

}  // namespace sotto
