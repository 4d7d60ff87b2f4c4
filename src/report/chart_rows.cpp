#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Charts of named rows: coefficients with their intervals, observers with their ε.
namespace sotto::report {
namespace {

constexpr double kRowSize = 12.5;  // of names and values
constexpr double kWideRow = 27;
constexpr double kStackedRow = 43;   // a line of text above the marks, on a telephone
constexpr double kWidestName = 230;  // of 720
constexpr double kWidestValue = 150;
constexpr std::string_view kAskedDashes = "5 4";

struct ChartRow {
  std::string name;   // on the left; above its row on a telephone
  std::string value;  // on the right
  std::string words;  // to whoever points at it or cannot see it
  std::function<void(const Frame&, double y)> draw;
};

// Rows above an axis of their own, and a line across them at a value.
struct Panel {
  std::vector<ChartRow> rows{};
  std::vector<double> values{};  // the axis holds them all
  Scale scale = Scale::kLinear;
  std::string label{};
  double line = 0;
  Look line_look{};
};

// Draws rows in panels one below the other, their names and values in common columns.
class RowChart {
 public:
  RowChart(Svg& svg, ChartSize size, const std::vector<Panel>& panels)
      : svg_(svg), size_(size), stacked_(size.width < kWideChart.width) {
    double name = 0;
    for (const Panel& panel : panels) {
      for (const ChartRow& row : panel.rows) {
        name = std::max(name, text_width(row.name, kRowSize));
        value_width_ = std::max(value_width_, text_width(row.value, kRowSize));
      }
    }
    value_width_ = std::min(value_width_, kWidestValue);
    left_ = stacked_ ? kMargin + 4 : kMargin + std::min(name, kWidestName) + 18;
    right_ = size.width - kMargin - (stacked_ ? 4 : value_width_ + 16);
  }

  void draw(Frame& frame, const Panel& panel) {
    const double height = stacked_ ? kStackedRow : kWideRow;
    frame.begin_plot(left_, right_, height * static_cast<double>(panel.rows.size()) + 8);
    frame.draw_x_axis(panel.values, panel.scale, panel.label, true);
    const double line = frame.x(panel.line);
    svg_.line({line, frame.top()}, {line, frame.bottom()}, panel.line_look);
    double top = frame.top() + 4;
    for (const ChartRow& row : panel.rows) {
      draw_labels(row, stacked_ ? top + 18 : top + height / 2 + 4.5);
      svg_.open_group("row", row.words);
      svg_.rect({left_, top}, right_ - left_, height, kHoverArea);
      row.draw(frame, top + height * (stacked_ ? 0.68 : 0.5));
      svg_.close_group();
      top += height;
    }
  }

 private:
  void draw_labels(const ChartRow& row, double y) {
    const double room = stacked_ ? right_ - left_ - value_width_ - 12 : left_ - kMargin - 16;
    const std::string name = shorten(row.name, room, kRowSize);
    svg_.open_group("", name == row.name ? "" : row.name);
    svg_.text({stacked_ ? left_ - 2 : left_ - 16, y}, name,
              {.size = kRowSize,
               .anchor = stacked_ ? "start" : "end",
               .halo = stacked_,
               .kind = "row-name"});
    svg_.close_group();
    svg_.text({size_.width - kMargin, y}, shorten(row.value, value_width_, kRowSize),
              {.size = kRowSize,
               .ink = Ink::kMuted,
               .anchor = "end",
               .halo = stacked_,
               .kind = "row-value"});
  }

  Svg& svg_;
  ChartSize size_;
  bool stacked_;
  double value_width_ = 0;
  double left_ = 0;
  double right_ = 0;
};

std::string draw_panels(Svg& svg, ChartSize size, const std::string& title,
                        const std::vector<LegendEntry>& legend, const std::vector<Panel>& panels,
                        std::string words, const std::string& note) {
  Frame frame(svg, size, title, legend);
  RowChart chart(svg, size, panels);
  for (const Panel& panel : panels) {
    chart.draw(frame, panel);
    for (const ChartRow& row : panel.rows) words += fmt::format(" {}.", row.words);
  }
  frame.draw_note(note);
  return svg.document(size.width, frame.height(), title, join(words, note));
}

// --- coefficients ---

using Coefficient = CoefficientChart::Row;

constexpr std::size_t kDotSeries = 0;
constexpr std::size_t kModelSeries = 3;  // a diamond
constexpr double kDotRadius = 4.2;
constexpr double kModelRadius = 5.5;    // around the dot: both stay visible
constexpr double kVisibleShift = 0.02;  // of an interval's length

double center_of(const Coefficient& row) {
  return row.center.value_or(row.value);
}

double spread_of(const Coefficient& row) {
  return row.interval ? (row.interval->second - row.interval->first) / 4 : 0;
}

std::vector<double> numbers_of(const Coefficient& row) {
  if (!row.interval) return {row.value, center_of(row)};
  return {row.value, center_of(row), row.interval->first, row.interval->second};
}

double size_of(const Coefficient& row) {
  double size = 0;
  for (const double number : numbers_of(row)) size = std::max(size, std::abs(number));
  return size;
}

bool holds_zero(const Coefficient& row) {
  return row.interval->first <= 0 && row.interval->second >= 0;
}

bool is_shifted(const Coefficient& row) {
  return row.interval && std::abs(center_of(row) - row.value) >
                             kVisibleShift * (row.interval->second - row.interval->first);
}

// Distance from zero in standard errors; without an interval, the plain size.
double signal_of(const Coefficient& row) {
  const double spread = spread_of(row);
  return spread > 0 ? std::abs(center_of(row)) / spread : size_of(row);
}

bool is_drawable(const Coefficient& row) {
  return std::ranges::all_of(numbers_of(row), [](double x) { return std::isfinite(x); });
}

// The rows that are drawn; of too many, those with the clearest signal, clearest first.
std::vector<Coefficient> clearest(std::vector<Coefficient> rows) {
  std::erase_if(rows, [](const Coefficient& row) { return !is_drawable(row); });
  if (rows.size() <= kMostCoefficients) return rows;
  std::ranges::stable_sort(rows, std::greater{}, signal_of);
  rows.resize(kMostCoefficients);
  return rows;
}

// Rows of like size together, the largest first; in each panel in their own order.
// What stands apart comes before all others.
std::vector<std::vector<Coefficient>> by_size(const std::vector<Coefficient>& all) {
  std::vector<std::vector<Coefficient>> groups(1);
  std::vector<double> sizes;
  for (const Coefficient& row : all) {
    if (!row.apart) sizes.push_back(size_of(row));
  }
  std::ranges::sort(sizes, std::greater{});
  std::vector<double> largest;  // of each group
  for (const double size : sizes) {
    const bool next = largest.empty() || (size * kWidestPanel < largest.back() && size > 0);
    if (next && largest.size() < kMostPanels) largest.push_back(size);
  }
  groups.resize(largest.size() + 1);
  for (const Coefficient& row : all) {
    std::size_t group = row.apart ? 0 : largest.size();
    while (group > 1 && size_of(row) > largest[group - 1]) --group;
    groups[group].push_back(row);
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

Look interval_look(const Svg& svg) {
  return {.kind = "interval", .stroke = svg.series_color(kDotSeries), .width = 2};
}

// A dot is hollow where the interval holds zero.
std::string dot_fill(const Svg& svg, bool filled) {
  return filled ? svg.series_color(kDotSeries) : svg.ink(Ink::kPaper);
}

void draw_coefficient(Svg& svg, const Frame& frame, double y, const Coefficient& row) {
  if (row.interval) {
    const double from = frame.x(row.interval->first);
    const double to = frame.x(row.interval->second);
    svg.path(path_data({{from, y}, {to, y}}) + path_data({{from, y - 4}, {from, y + 4}}) +
                 path_data({{to, y - 4}, {to, y + 4}}),
             interval_look(svg));
  }
  svg.marker(kDotSeries, {frame.x(center_of(row)), y}, kDotRadius,
             dot_fill(svg, !row.interval || !holds_zero(row)));
  if (is_shifted(row)) svg.marker(kModelSeries, {frame.x(row.value), y}, kModelRadius, "none");
}

std::vector<LegendEntry> legend_of(const Svg& svg, const std::vector<Coefficient>& rows) {
  std::vector<LegendEntry> entries;
  for (const bool zero : {false, true}) {
    if (std::ranges::any_of(rows, [&](const Coefficient& row) {
          return row.interval && holds_zero(row) == zero;
        })) {
      entries.push_back({.name = fmt::format("95 % interval, zero {}", zero ? "inside" : "outside"),
                         .line = interval_look(svg),
                         .marker = kDotSeries,
                         .radius = kDotRadius,
                         .fill = dot_fill(svg, !zero)});
    }
  }
  if (std::ranges::any_of(rows, is_shifted)) {
    entries.push_back({.name = "value in the model",
                       .marker = kModelSeries,
                       .radius = kModelRadius,
                       .fill = "none"});
  }
  return entries;
}

std::string row_in_words(const Coefficient& row) {
  const double spread = spread_of(row);
  std::string text = fmt::format("{}: {}", row.name, value_text(row.value, spread));
  if (row.interval) {
    text += fmt::format(", 95 % interval {} to {}", value_text(row.interval->first, spread),
                        value_text(row.interval->second, spread));
  }
  if (is_shifted(row)) text += fmt::format(" about {}", value_text(center_of(row), spread));
  return text;
}

// --- ε ---

using Watcher = EpsilonChart::Row;

constexpr std::size_t kWithinSeries = 2;  // a triangle
constexpr std::size_t kBeyondSeries = 1;  // a square
constexpr double kEpsilonRadius = 5;
constexpr double kWidestLinear = 20;    // ratio of the largest to the smallest ε
constexpr double kEpsilonSlack = 1e-6;  // ε may exceed what was asked for by this much: rounding

std::size_t series_of(const EpsilonChart& chart, const Watcher& row) {
  return row.epsilon <= chart.asked * (1 + kEpsilonSlack) ? kWithinSeries : kBeyondSeries;
}

std::string row_in_words(const EpsilonChart& chart, const Watcher& row) {
  if (!std::isfinite(row.epsilon)) return fmt::format("{}: no ε will do", row.name);
  return fmt::format("{}: ε = {}, {} than asked for", row.name, number_text(row.epsilon),
                     series_of(chart, row) == kWithinSeries ? "no more" : "more");
}

std::vector<LegendEntry> legend_of(const Svg& svg, const EpsilonChart& chart, const Look& asked) {
  std::vector<LegendEntry> entries;
  for (const std::size_t series : {kWithinSeries, kBeyondSeries}) {
    if (std::ranges::any_of(chart.rows,
                            [&](const Watcher& row) { return series_of(chart, row) == series; })) {
      entries.push_back(
          {.name = series == kWithinSeries ? "as asked for, or better" : "more than asked for",
           .marker = series,
           .radius = kEpsilonRadius,
           .fill = svg.series_color(series)});
    }
  }
  entries.push_back(
      {.name = fmt::format("asked for: ε = {}", number_text(chart.asked)), .line = asked});
  return entries;
}

// A stem from the axis to the marker; without a limit it leaves the drawing as an arrow.
void draw_epsilon(Svg& svg, const Frame& frame, double y, double epsilon, std::size_t series) {
  const bool finite = std::isfinite(epsilon);
  const double to = finite ? frame.x(epsilon) : frame.right();
  std::string stem = fmt::format("M{:.2f} {:.2f}H{:.2f}", frame.left(), y, to);
  if (!finite) stem += path_data({{to - 7, y - 5}, {to, y}, {to - 7, y + 5}});
  svg.path(stem,
           {.kind = finite ? "stem" : "endless", .stroke = svg.series_color(series), .width = 3});
  if (finite) svg.marker(series, {to, y}, kEpsilonRadius, svg.series_color(series));
}

}  // namespace
}  // namespace sotto::report

namespace sotto {

std::string draw(const CoefficientChart& chart, ChartSize size, Paint paint) {
  using namespace report;
  for (const Coefficient& row : chart.rows) {
    check(!row.interval || row.interval->first <= row.interval->second,
          "an interval goes from low to high");
  }
  Svg svg(paint);
  const std::vector<Coefficient> rows = clearest(chart.rows);
  std::vector<Panel> panels;
  for (const std::vector<Coefficient>& group : by_size(rows)) {
    Panel& panel = panels.emplace_back();
    panel.values = {0};
    panel.line_look = {.kind = "zero", .stroke = svg.ink(Ink::kMuted), .width = 1.25};
    for (const Coefficient& row : group) {
      const std::vector<double> numbers = numbers_of(row);
      panel.values.insert(panel.values.end(), numbers.begin(), numbers.end());
      panel.rows.push_back(
          {row.name, value_text(row.value, spread_of(row)), row_in_words(row),
           [&svg, row](const Frame& frame, double y) { draw_coefficient(svg, frame, y, row); }});
    }
  }
  if (!panels.empty()) panels.back().label = chart.x;
  std::string note = chart.note;
  if (panels.size() > 1) note = join(note, "Mind the axes: each group has its own.");
  if (chart.rows.size() > kMostCoefficients) {
    note =
        join(note, fmt::format("{} of {} coefficients are drawn, those with the clearest signal.",
                               kMostCoefficients, chart.rows.size()));
  }
  if (!std::ranges::all_of(chart.rows, is_drawable)) {
    note = join(note, "What is not finite is not drawn.");
  }
  return draw_panels(svg, size, chart.title, legend_of(svg, rows), panels,
                     fmt::format("Dot and whisker chart. Across: {}.", chart.x), note);
}

std::string draw(const EpsilonChart& chart, ChartSize size, Paint paint) {
  using namespace report;
  Svg svg(paint);
  Panel panel{.values = {chart.asked}, .label = chart.x, .line = chart.asked};
  panel.line_look = {
      .kind = "asked", .stroke = svg.ink(Ink::kMuted), .width = 1.25, .dashes = kAskedDashes};
  bool endless = false;
  for (const Watcher& row : chart.rows) {
    const bool finite = std::isfinite(row.epsilon);
    if (finite) panel.values.push_back(row.epsilon);
    endless = endless || !finite;
    panel.rows.push_back({row.name, finite ? number_text(row.epsilon) : "no limit",
                          row_in_words(chart, row),
                          [&svg, &chart, &row](const Frame& frame, double y) {
                            draw_epsilon(svg, frame, y, row.epsilon, series_of(chart, row));
                          }});
  }
  // Room for an arrow to run past every marker.
  if (endless) panel.values.push_back(1.3 * std::ranges::max(panel.values));
  const auto [low, high] = std::ranges::minmax(panel.values);
  if (low > 0 && high / low > kWidestLinear) {
    panel.scale = Scale::kLog10;
  } else {
    panel.values.push_back(0);
  }
  return draw_panels(svg, size, chart.title, legend_of(svg, chart, panel.line_look), {panel},
                     fmt::format("Chart of rows. Across: {}. Asked for: ε = {}.", chart.x,
                                 number_text(chart.asked)),
                     "");
}

}  // namespace sotto
