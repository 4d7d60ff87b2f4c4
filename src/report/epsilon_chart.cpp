#include "report/epsilon_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/row_frame.h"
#include "report/svg.h"

namespace sotto {
namespace {

constexpr std::size_t kWithin = 2;  // a triangle
constexpr std::size_t kBeyond = 1;  // a square
constexpr double kRadius = 5;
constexpr double kWidestLinear = 20;  // ratio of the largest to the smallest ε
constexpr const char* kAskedDashes = "5 4";

bool within(const EpsilonChart& chart, double epsilon) {
  return epsilon <= chart.asked * (1 + kEpsilonSlack);
}

std::string value_of(double epsilon) {
  return std::isfinite(epsilon) ? number_text(epsilon) : "no limit";
}

std::string row_in_words(const EpsilonChart& chart, const EpsilonChart::Row& row) {
  if (!std::isfinite(row.epsilon)) return fmt::format("{}: no ε will do", row.name);
  return fmt::format("{}: ε = {}, {} than asked for", row.name, number_text(row.epsilon),
                     within(chart, row.epsilon) ? "no more" : "more");
}

std::vector<double> values_of(const EpsilonChart& chart) {
  std::vector<double> values{chart.asked};
  bool endless = false;
  for (const EpsilonChart::Row& row : chart.rows) {
    if (std::isfinite(row.epsilon)) values.push_back(row.epsilon);
    endless = endless || !std::isfinite(row.epsilon);
  }
  // Room for an arrow to run past every marker.
  if (endless) values.push_back(1.3 * std::ranges::max(values));
  return values;
}

Scale scale_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return low > 0 && high / low > kWidestLinear ? Scale::kLog10 : Scale::kLinear;
}

std::vector<LegendEntry> legend(const EpsilonChart& chart) {
  std::vector<LegendEntry> entries;
  const auto marker = [&](bool good, const char* name) {
    if (std::ranges::none_of(chart.rows, [&](const EpsilonChart::Row& row) {
          return within(chart, row.epsilon) == good;
        })) {
      return;
    }
    entries.push_back({name, [good](Svg& svg, double x, double y) {
                         const std::size_t series = good ? kWithin : kBeyond;
                         draw_marker(svg, series, x + kLegendSampleWidth / 2, y, kRadius,
                                     svg.series_color(series));
                       }});
  };
  marker(true, "as asked for, or better");
  marker(false, "more than asked for");
  entries.push_back({fmt::format("asked for: ε = {}", number_text(chart.asked)),
                     [](Svg& svg, double x, double y) {
                       svg.element("line", {{"x1", x + kLegendSampleWidth / 2},
                                            {"x2", x + kLegendSampleWidth / 2},
                                            {"y1", y - 8},
                                            {"y2", y + 8},
                                            {"stroke", svg.ink(Ink::kMuted)},
                                            {"stroke-width", 1.25},
                                            {"stroke-dasharray", std::string(kAskedDashes)}});
                     }});
  return entries;
}

// A stem from the axis to the marker; without a limit it leaves the drawing as an arrow.
void draw_row(Svg& svg, RowFrame& frame, const EpsilonChart& chart, std::size_t i) {
  const EpsilonChart::Row& row = chart.rows[i];
  const bool finite = std::isfinite(row.epsilon);
  const std::size_t series = within(chart, row.epsilon) ? kWithin : kBeyond;
  const double to = finite ? frame.x(row.epsilon) : frame.right();
  const double y = frame.y(i);
  frame.open_row(i, row_in_words(chart, row));
  std::string path = fmt::format("M{:.2f} {:.2f}H{:.2f}", frame.left(), y, to);
  if (!finite) {
    path += fmt::format("M{0:.2f} {1:.2f}L{2:.2f} {3:.2f}L{0:.2f} {4:.2f}", to - 7, y - 5, to, y,
                        y + 5);
  }
  svg.element("path", {{"class", finite ? "stem" : "endless"},
                       {"d", path},
                       {"fill", "none"},
                       {"stroke", svg.series_color(series)},
                       {"stroke-width", 3}});
  if (finite) draw_marker(svg, series, to, y, kRadius, svg.series_color(series));
  svg.close("g");
}

std::string draw(const EpsilonChart& chart, ChartSize size, Paint paint) {
  Svg svg(paint);
  RowFrame frame(svg, size, chart.title, legend(chart));
  std::vector<RowLabel> labels;
  std::string words = fmt::format("Chart of rows. Across: {}. Asked for: ε = {}.", chart.x,
                                  number_text(chart.asked));
  for (const EpsilonChart::Row& row : chart.rows) {
    labels.push_back({row.name, value_of(row.epsilon)});
    words += fmt::format(" {}.", row_in_words(chart, row));
  }
  frame.fit_columns(labels);
  std::vector<double> values = values_of(chart);
  const Scale scale = scale_of(values);
  if (scale == Scale::kLinear) values.push_back(0);
  frame.draw_panel(labels, values, scale, chart.x, {{chart.asked, "asked", kAskedDashes}});
  for (std::size_t i = 0; i < chart.rows.size(); ++i) draw_row(svg, frame, chart, i);
  return svg.document(size.width, frame.height(), chart.title, words);
}

}  // namespace

std::string standalone_svg(const EpsilonChart& chart) {
  return draw(chart, kWideChart, Paint::kStandalone);
}

InlineSvg inline_svg(const EpsilonChart& chart) {
  return {.wide = draw(chart, kWideChart, Paint::kInline),
          .narrow = draw(chart, kNarrowChart, Paint::kInline)};
}

}  // namespace sotto
