#include "report/box_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "report/frame.h"
#include "report/svg.h"

namespace sotto {
namespace {

constexpr double kWidestBox = 44;
constexpr double kTint = 0.22;  // opacity of a box's inside

using BoxTable = std::vector<std::vector<BoxStatistics>>;  // [series][group]

BoxTable statistics_of(const BoxChart& chart) {
  BoxTable table;
  for (const BoxSeries& series : chart.series) {
    check(series.samples.size() == chart.groups.size(), "a box series has one set per group");
    table.emplace_back();
    for (const auto& samples : series.samples) table.back().push_back(box_statistics(samples));
  }
  return table;
}

std::vector<double> y_values(const BoxChart& chart, const BoxTable& table) {
  std::vector<double> values;
  for (const auto& row : table) {
    for (const BoxStatistics& box : row) {
      values.insert(values.end(), {box.low, box.q25, box.median, box.q75, box.high});
      values.insert(values.end(), box.outliers.begin(), box.outliers.end());
    }
  }
  for (const ReferenceLine& line : chart.references) values.push_back(line.y);
  return values;
}

std::vector<LegendEntry> legend(const BoxChart& chart) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    entries.push_back({chart.series[i].name, [i](Svg& svg, double x, double y) {
                         svg.element("rect", {{"x", x + 1},
                                              {"y", y - 6},
                                              {"width", kLegendSampleWidth - 2},
                                              {"height", 12},
                                              {"fill", svg.series_color(i)},
                                              {"fill-opacity", kTint},
                                              {"stroke", svg.series_color(i)},
                                              {"stroke-width", 1.5}});
                         draw_marker(svg, i, x + kLegendSampleWidth / 2, y, 3.4,
                                     svg.ink(Ink::kPaper));
                       }});
  }
  return entries;
}

// "1 value that is not finite", "3 values that are not positive"
std::string values_that_are(std::size_t count, std::string_view what) {
  return fmt::format("{} value{} that {} {}", count, count == 1 ? "" : "s",
                     count == 1 ? "is" : "are", what);
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
  std::string text;
  if (not_finite > 0) text = "Not shown: " + values_that_are(not_finite, "not finite") + ".";
  if (not_positive > 0 && chart.y_scale == Scale::kLog10) {
    text += (text.empty() ? "" : " ") + std::string("At the foot of the axis: ") +
            values_that_are(not_positive, "not positive") + ".";
  }
  return text;
}

std::string in_words(const BoxChart& chart, const BoxTable& table, const Axis& axis) {
  std::string text = fmt::format("Box chart. Across: {}. Upwards: {}.", chart.labels.x,
                                 axis_in_words(chart.labels.y, axis));
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const BoxStatistics& box = table[i][g];
      const std::string& series = chart.series[i].name;
      text += fmt::format(" {}{}{}: ", chart.groups[g], series.empty() ? "" : ", ", series);
      if (box.count == 0) {
        text += "no values.";
        continue;
      }
      text += fmt::format(
          "median {:.4g}, quartiles {:.4g} and {:.4g}, whiskers {:.4g} and {:.4g}, {} outlier{}.",
          box.median, box.q25, box.q75, box.low, box.high, box.outliers.size(),
          box.outliers.size() == 1 ? "" : "s");
    }
  }
  for (const ReferenceLine& line : chart.references) {
    text += fmt::format(" Reference line {} at {:.4g}.", line.label, line.y);
  }
  if (const std::string note = remarks(chart, table); !note.empty())
    text += fmt::format(" {}", note);
  return text;
}

std::string tooltip_of(const std::string& name, const BoxStatistics& box) {
  return fmt::format("{}\nmedian {}\nquartiles {} to {}\nwhiskers {} to {}\n{} of {} are outliers",
                     name, number_text(box.median), number_text(box.q25), number_text(box.q75),
                     number_text(box.low), number_text(box.high), box.outliers.size(), box.count);
}

void draw_whisker(Svg& svg, const std::string& color, double x, double from, double to,
                  double cap) {
  svg.element("path", {{"class", "whisker"},
                       {"d", fmt::format("M{:.2f} {:.2f}V{:.2f}M{:.2f} {:.2f}H{:.2f}", x, from, to,
                                         x - cap / 2, to, x + cap / 2)},
                       {"fill", "none"},
                       {"stroke", color},
                       {"stroke-width", 1.5}});
}

// One box centred at x, and the places it covers, for labels to avoid.
void draw_box(Svg& svg, const Frame& frame, std::size_t series, const BoxStatistics& box, double x,
              double width, const std::string& name, std::vector<Point>& drawn) {
  const std::string color = svg.series_color(series);
  const double top = frame.y(box.q75);
  const double bottom = frame.y(box.q25);
  const double median = frame.y(box.median);
  const double marker = std::min(3.4, width / 5);

  svg.open("g", {{"class", "box"}});
  svg.tooltip(tooltip_of(name, box));
  draw_whisker(svg, color, x, bottom, frame.y(box.low), width / 2);
  draw_whisker(svg, color, x, top, frame.y(box.high), width / 2);
  // Paper below the tint, so that the grid does not shine through.
  svg.element("rect", {{"x", x - width / 2},
                       {"y", top},
                       {"width", width},
                       {"height", bottom - top},
                       {"fill", svg.ink(Ink::kPaper)}});
  svg.element("rect", {{"class", "quartiles"},
                       {"x", x - width / 2},
                       {"y", top},
                       {"width", width},
                       {"height", bottom - top},
                       {"fill", color},
                       {"fill-opacity", kTint},
                       {"stroke", color},
                       {"stroke-width", 1.5}});
  svg.element("line", {{"class", "median"},
                       {"x1", x - width / 2},
                       {"x2", x + width / 2},
                       {"y1", median},
                       {"y2", median},
                       {"stroke", color},
                       {"stroke-width", 2.5}});
  draw_marker(svg, series, x, median, marker, svg.ink(Ink::kPaper));
  svg.close("g");

  const std::vector<Point> covered{{x, frame.y(box.low)}, {x, frame.y(box.high)}};
  for (const Point& p : along(covered, 4)) {
    for (const double side : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
      const bool inside = p.y >= top && p.y <= bottom;
      if (inside || side == 0) drawn.push_back({p.x + side * width, p.y});
    }
  }
}

void draw_outliers(Svg& svg, const Frame& frame, std::size_t series, const BoxStatistics& box,
                   double x, double width, const std::string& name, std::vector<Point>& drawn) {
  for (const double value : box.outliers) {
    svg.open("g", {{"class", "outlier"}});
    svg.tooltip(fmt::format("{}\noutlier {}", name, number_text(value)));
    draw_marker(svg, series, x, frame.y(value), std::min(2.4, width / 4), "none");
    svg.close("g");
    drawn.push_back({x, frame.y(value)});
  }
}

std::string draw(const BoxChart& chart, ChartSize size, Paint paint) {
  const BoxTable table = statistics_of(chart);
  Svg svg(paint);
  Frame frame(svg, size, chart.labels, legend(chart),
              fit_axis(y_values(chart, table), chart.y_scale, most_y_labels(size)));
  frame.draw_categories(chart.groups, chart.labels.x);

  const std::size_t groups = chart.groups.size();
  const double slot = frame.slot_width(groups);
  const double per_box = slot * 0.8 / static_cast<double>(std::max<std::size_t>(table.size(), 1));
  const double pitch = std::min(per_box, kWidestBox * 1.3);
  const double width = pitch * 0.74;
  std::vector<Point> drawn;
  for (std::size_t g = 0; g < groups; ++g) {
    if (g > 0 && table.size() > 1) {
      const double edge = frame.slot_center(g, groups) - slot / 2;
      svg.element("line", {{"x1", edge},
                           {"x2", edge},
                           {"y1", frame.top()},
                           {"y2", frame.bottom()},
                           {"stroke", svg.ink(Ink::kGrid)}});
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      const BoxStatistics& box = table[i][g];
      if (box.count == 0) continue;
      const double place = static_cast<double>(i) - static_cast<double>(table.size() - 1) / 2;
      const double x = frame.slot_center(g, groups) + place * pitch;
      const std::string& series = chart.series[i].name;
      const std::string name = fmt::format("{}{}{} {}", series, series.empty() ? "" : ", ",
                                           chart.labels.x, chart.groups[g]);
      draw_box(svg, frame, i, box, x, width, name, drawn);
      draw_outliers(svg, frame, i, box, x, width, name, drawn);
    }
  }
  frame.draw_references(chart.references, drawn);
  if (const std::string note = remarks(chart, table); !note.empty()) frame.draw_note(note);
  return svg.document(size.width, frame.height(), chart.labels.title,
                      in_words(chart, table, frame.y_axis()));
}

}  // namespace

std::string standalone_svg(const BoxChart& chart) {
  return draw(chart, kWideChart, Paint::kStandalone);
}

InlineSvg inline_svg(const BoxChart& chart) {
  return {.wide = draw(chart, kWideChart, Paint::kInline),
          .narrow = draw(chart, kNarrowChart, Paint::kInline)};
}

}  // namespace sotto
