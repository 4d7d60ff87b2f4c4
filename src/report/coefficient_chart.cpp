#include "report/coefficient_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "report/axis.h"
#include "report/row_frame.h"
#include "report/svg.h"

namespace sotto {
namespace {

using Row = CoefficientChart::Row;

constexpr std::size_t kDotSeries = 0;
constexpr std::size_t kModelSeries = 3;  // a diamond
constexpr double kDotRadius = 4.2;
constexpr double kModelRadius = 5.5;    // around the dot: both stay visible
constexpr double kVisibleShift = 0.02;  // of an interval's length

double center_of(const Row& row) {
  return row.center.value_or(row.value);
}

double spread_of(const Row& row) {
  return row.interval ? (row.interval->second - row.interval->first) / 4 : 0;
}

double size_of(const Row& row) {
  double size = std::max(std::abs(row.value), std::abs(center_of(row)));
  if (row.interval) {
    size = std::max({size, std::abs(row.interval->first), std::abs(row.interval->second)});
  }
  return size;
}

bool holds_zero(const Row& row) {
  return row.interval->first <= 0 && row.interval->second >= 0;
}

bool is_shifted(const Row& row) {
  return row.interval && std::abs(center_of(row) - row.value) >
                             kVisibleShift * (row.interval->second - row.interval->first);
}

// Distance from zero in standard errors; without an interval, the plain size.
double signal_of(const Row& row) {
  const double spread = spread_of(row);
  return spread > 0 ? std::abs(center_of(row)) / spread : size_of(row);
}

bool is_finite(const Row& row) {
  return std::isfinite(size_of(row)) && std::isfinite(row.value + center_of(row));
}

// The rows that are drawn, in their own order.
std::vector<Row> clearest(std::vector<Row> rows) {
  std::erase_if(rows, [](const Row& row) { return !is_finite(row); });
  if (rows.size() <= kMostCoefficients) return rows;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return signal_of(rows[i]); });
  order.resize(kMostCoefficients);
  std::ranges::sort(order);
  std::vector<Row> kept;
  kept.reserve(order.size());
  for (const std::size_t i : order) kept.push_back(rows[i]);
  return kept;
}

// Rows of like size together, the largest first; in each panel in their own order.
// What stands apart comes before all others.
std::vector<std::vector<Row>> panels_of(const std::vector<Row>& all) {
  std::vector<Row> first;
  std::vector<Row> rows;
  for (const Row& row : all) (row.apart ? first : rows).push_back(row);
  std::vector<double> sizes;
  sizes.reserve(rows.size());
  for (const Row& row : rows) sizes.push_back(size_of(row));
  std::ranges::sort(sizes, std::greater{});
  std::vector<double> largest;  // of each panel
  for (const double size : sizes) {
    const bool next = largest.empty() || (size * kWidestPanel < largest.back() && size > 0);
    if (next && largest.size() < kMostPanels) largest.push_back(size);
  }
  std::vector<std::vector<Row>> panels(largest.size());
  for (const Row& row : rows) {
    std::size_t panel = panels.size() - 1;
    while (panel > 0 && size_of(row) > largest[panel]) --panel;
    panels[panel].push_back(row);
  }
  if (!first.empty()) panels.insert(panels.begin(), first);
  return panels;
}

void draw_dot(Svg& svg, double x, double y, bool filled) {
  draw_marker(svg, kDotSeries, x, y, kDotRadius,
              filled ? svg.series_color(kDotSeries) : svg.ink(Ink::kPaper));
}

void draw_whisker(Svg& svg, double from, double to, double y) {
  svg.element("path", {{"class", "interval"},
                       {"d", fmt::format("M{0:.2f} {2:.2f}H{1:.2f}M{0:.2f} {3:.2f}V{4:.2f}M{1:.2f} "
                                         "{3:.2f}V{4:.2f}",
                                         from, to, y, y - 4, y + 4)},
                       {"fill", "none"},
                       {"stroke", svg.series_color(kDotSeries)},
                       {"stroke-width", 2}});
}

std::vector<LegendEntry> legend(const std::vector<Row>& rows) {
  std::vector<LegendEntry> entries;
  const auto whisker = [&](const std::string& name, bool filled) {
    entries.push_back({name, [filled](Svg& svg, double x, double y) {
                         draw_whisker(svg, x + 2, x + kLegendSampleWidth - 2, y);
                         draw_dot(svg, x + kLegendSampleWidth / 2, y, filled);
                       }});
  };
  const auto any = [&](bool zero) {
    return std::ranges::any_of(
        rows, [&](const Row& row) { return row.interval && holds_zero(row) == zero; });
  };
  if (any(false)) whisker("95 % interval, zero outside", true);
  if (any(true)) whisker("95 % interval, zero inside", false);
  if (std::ranges::any_of(rows, is_shifted)) {
    entries.push_back({"value in the model", [](Svg& svg, double x, double y) {
                         draw_marker(svg, kModelSeries, x + kLegendSampleWidth / 2, y, kModelRadius,
                                     "none");
                       }});
  }
  return entries;
}

std::string row_in_words(const Row& row) {
  const double spread = spread_of(row);
  std::string text = fmt::format("{}: {}", row.name, value_text(row.value, spread));
  if (row.interval) {
    text += fmt::format(", 95 % interval {} to {}", value_text(row.interval->first, spread),
                        value_text(row.interval->second, spread));
  }
  if (is_shifted(row)) text += fmt::format(" about {}", value_text(center_of(row), spread));
  return text;
}

std::string remarks(const CoefficientChart& chart) {
  std::string text = chart.note;
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (panels_of(clearest(chart.rows)).size() > 1) {
    add("Mind the axes: each group has its own.");
  }
  if (chart.rows.size() > kMostCoefficients) {
    add(fmt::format("{} of {} coefficients are drawn, those with the clearest signal.",
                    kMostCoefficients, chart.rows.size()));
  }
  if (!std::ranges::all_of(chart.rows, is_finite)) add("What is not finite is not drawn.");
  return text;
}

std::string in_words(const CoefficientChart& chart, const std::vector<Row>& rows) {
  std::string text = fmt::format("Dot and whisker chart. Across: {}.", chart.x);
  for (const Row& row : rows) text += fmt::format(" {}.", row_in_words(row));
  if (const std::string note = remarks(chart); !note.empty()) text += fmt::format(" {}", note);
  return text;
}

void draw_row(Svg& svg, RowFrame& frame, std::size_t i, const Row& row) {
  frame.open_row(i, row_in_words(row));
  const double y = frame.y(i);
  if (row.interval) {
    draw_whisker(svg, frame.x(row.interval->first), frame.x(row.interval->second), y);
    draw_dot(svg, frame.x(center_of(row)), y, !holds_zero(row));
    if (is_shifted(row)) {
      draw_marker(svg, kModelSeries, frame.x(row.value), y, kModelRadius, "none");
    }
  } else {
    draw_dot(svg, frame.x(row.value), y, true);
  }
  svg.close("g");
}

std::vector<RowLabel> labels_of(const std::vector<Row>& rows) {
  std::vector<RowLabel> labels;
  labels.reserve(rows.size());
  for (const Row& row : rows) labels.push_back({row.name, value_text(row.value, spread_of(row))});
  return labels;
}

std::string draw(const CoefficientChart& chart, ChartSize size, Paint paint) {
  for (const Row& row : chart.rows) {
    check(!row.interval || row.interval->first <= row.interval->second,
          "an interval goes from low to high");
  }
  const std::vector<Row> rows = clearest(chart.rows);
  Svg svg(paint);
  RowFrame frame(svg, size, chart.title, legend(rows));
  frame.fit_columns(labels_of(rows));
  const std::vector<std::vector<Row>> panels = panels_of(rows);
  for (const std::vector<Row>& panel : panels) {
    std::vector<double> values{0};
    for (const Row& row : panel) {
      values.insert(values.end(), {row.value, center_of(row)});
      if (row.interval) values.insert(values.end(), {row.interval->first, row.interval->second});
    }
    frame.draw_panel(labels_of(panel), values, Scale::kLinear,
                     &panel == &panels.back() ? chart.x : "", {{0, "zero"}});
    for (std::size_t i = 0; i < panel.size(); ++i) draw_row(svg, frame, i, panel[i]);
  }
  if (const std::string note = remarks(chart); !note.empty()) frame.draw_note(note);
  return svg.document(size.width, frame.height(), chart.title, in_words(chart, rows));
}

}  // namespace

std::string standalone_svg(const CoefficientChart& chart) {
  return draw(chart, kWideChart, Paint::kStandalone);
}

InlineSvg inline_svg(const CoefficientChart& chart) {
  return {.wide = draw(chart, kWideChart, Paint::kInline),
          .narrow = draw(chart, kNarrowChart, Paint::kInline)};
}

std::string value_text(double value, double spread) {
  constexpr int kMostDecimals = 6;
  if (!std::isfinite(value) || !(spread > 0) || !std::isfinite(spread)) return number_text(value);
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(spread))));
  if (decimals > kMostDecimals || std::abs(value) >= 1e6) return number_text(value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (!text.starts_with('-')) return text;
  return zero ? text.substr(1) : fmt::format("−{}", text.substr(1));
}

}  // namespace sotto
