#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/check.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Charts of named rows: coefficients with their intervals, observers with their ε.
namespace sotto::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRowSize = 12.5;  // of names and values
constexpr double kWideRow = 27;
constexpr double kStackedRow = 43;   // a line of text above the marks, on a telephone
constexpr double kWidestName = 230;  // of 720

struct ChartRow {
  std::string name{};               // on the left; above its row on a telephone
  std::string value{};              // on the right
  std::string words{};              // to whoever points at it or cannot see it
  std::pair<double, double> bar{};  // to infinity: an arrow
  Look bar_look{};                  // without a stroke: no bar
  double bar_ends = 0;              // half the height of the strokes at its ends
  // Markers as the legend explains them, and where they stand; at infinity only in the legend.
  std::vector<std::pair<LegendEntry, double>> marks{};
  // What the place of a coefficient's row depends on.
  double size = 0;    // of its largest number; infinity if one of them cannot be drawn
  double signal = 0;  // distance from zero in standard errors; without an interval, the size
  bool apart = false;
};

// Rows above an axis of their own, and a line across them at a value.
struct Panel {
  std::vector<ChartRow> rows{};
  Scale scale = Scale::kLinear;
  std::string label{};
  double line = 0;
  Look line_look{};
  std::string line_name{};
  double reach = 0;  // the axis goes on to here
};
using Panels = std::map<double, Panel>;  // by their places, from above

void draw_marks(Frame& frame, const ChartRow& row, double y) {
  if (row.bar_look.stroke != Color::kNone) {
    const double from = frame.x(row.bar.first);
    const double to = frame.x(row.bar.second);
    std::string path = path_data({{from, y}, {to, y}});
    if (row.bar.second == kInfinity) path += path_data({{to - 7, y - 5}, {to, y}, {to - 7, y + 5}});
    for (const double end : {from, to}) {
      path += path_data({{end, y - row.bar_ends}, {end, y + row.bar_ends}});
    }
    frame.path(path, row.bar_look);
  }
  for (const auto& [look, at] : row.marks) {
    if (at != kInfinity) frame.marker(*look.marker, {frame.x(at), y}, look.radius, look.fill);
  }
}

// Panels one below the other, the names and values of all rows in common columns.
std::string draw_panels(const std::string& title, const Panels& panels, std::string words,
                        const std::string& note, Medium medium) {
  const bool stacked = medium == Medium::kTelephone;
  const double height = stacked ? kStackedRow : kWideRow;
  double name_width = 0;
  double value_width = 0;
  std::vector<LegendEntry> legend;
  for (const auto& [place, panel] : panels) {
    for (const ChartRow& row : panel.rows) {
      name_width = std::max(name_width, std::min(text_width(row.name, kRowSize), kWidestName));
      value_width = std::max(value_width, text_width(row.value, kRowSize));
      words += fmt::format(" {}.", row.words);
      for (const auto& [look, at] : row.marks) {
        const auto same = std::ranges::find(legend, look.name, &LegendEntry::name);
        if (same == legend.end()) legend.push_back(look);
      }
    }
    legend.push_back({.name = panel.line_name, .sample = panel.line_look});
  }
  const double left = kMargin + (stacked ? 4 : name_width + 18);
  const double right = width_of(medium) - kMargin - (stacked ? 4 : value_width + 16);
  TextLook name{.kind = "row-name", .size = kRowSize, .anchor = "end", .room = name_width + 2};
  TextLook value{.kind = "row-value", .size = kRowSize, .color = Color::kMuted, .anchor = "end"};
  if (stacked) {
    name.anchor = "start";
    name.room = right - left - value_width - 12;
    name.halo = value.halo = true;
  }

  Frame frame(medium, title, legend);
  for (const auto& [place, panel] : panels) {
    std::vector<double> values{panel.line, panel.reach};
    for (const ChartRow& row : panel.rows) {
      values.insert(values.end(), {row.bar.first, row.bar.second});
      for (const auto& [look, at] : row.marks) values.push_back(at);
    }
    frame.begin_plot(left, right, height * static_cast<double>(panel.rows.size()) + 8);
    frame.draw_x_axis(values, panel.scale, panel.label);
    const double line = frame.x(panel.line);
    frame.line({line, frame.top()}, {line, frame.bottom()}, panel.line_look);
    double top = frame.top() + 4;
    for (const ChartRow& row : panel.rows) {
      const double foot = top + (stacked ? 18 : height / 2 + 4.5);
      frame.text({stacked ? left - 2 : left - 16, foot}, row.name, name);
      frame.text({width_of(medium) - kMargin, foot}, row.value, value);
      frame.open_group("row", row.words);
      frame.rect({left, top}, right - left, height, kHoverArea);
      draw_marks(frame, row, top + height * (stacked ? 0.68 : 0.5));
      frame.close_group();
      top += height;
    }
  }
  return frame.finish(words, note);
}

// --- coefficients ---

constexpr std::size_t kDotSeries = 0;
constexpr std::size_t kModelSeries = 3;  // a diamond
constexpr double kVisibleShift = 0.02;   // of an interval's length

ChartRow row_of(const CoefficientChart::Row& row) {
  const double center = row.center.value_or(row.value);
  const auto [low, high] = row.interval.value_or(std::pair{center, center});
  check(!row.interval || low <= high, "an interval goes from low to high");
  const auto text = [spread = (high - low) / 4](double x) { return value_text(x, spread); };
  ChartRow result{.name = row.name,
                  .value = text(row.value),
                  .words = fmt::format("{}: {}", row.name, text(row.value)),
                  .apart = row.apart};
  for (const double x : {row.value, center, low, high}) {
    result.size = drawable(x, Scale::kLinear) ? std::max(result.size, std::abs(x)) : kInfinity;
  }
  result.signal = high > low ? 4 * std::abs(center) / (high - low) : result.size;
  LegendEntry dot{
      .name = "", .marker = kDotSeries, .radius = 4.2, .fill = series_color(kDotSeries)};
  if (row.interval) {
    // A dot is hollow where the interval holds zero.
    const bool zero_inside = low <= 0 && high >= 0;
    if (zero_inside) dot.fill = Color::kPaper;
    dot.name = fmt::format("95 % interval, zero {}", zero_inside ? "inside" : "outside");
    dot.sample = {.kind = "interval", .stroke = series_color(kDotSeries), .width = 2};
    result.words += fmt::format(", 95 % interval {} to {}", text(low), text(high));
    result.bar = *row.interval;
    result.bar_look = dot.sample;
    result.bar_ends = 4;
  }
  result.marks.push_back({dot, center});
  if (row.interval && std::abs(center - row.value) > kVisibleShift * (high - low)) {
    result.words += " about " + text(center);
    // Around the dot: both stay visible.
    LegendEntry model{.name = "value in the model", .marker = kModelSeries, .radius = 5.5};
    model.fill = Color::kNone;
    result.marks.push_back({model, row.value});
  }
  return result;
}

// Rows of like size in one panel, those of the largest first; in each panel in their own order.
// What stands apart comes before all others.
Panels by_size(const std::vector<ChartRow>& rows) {
  double largest = 0;
  double smallest = kInfinity;  // but for zero, which stands with the smallest
  for (const ChartRow& row : rows) {
    if (row.apart || row.size == 0) continue;
    largest = std::max(largest, row.size);
    smallest = std::min(smallest, row.size);
  }
  Panels panels;
  for (const ChartRow& row : rows) {
    const double ratio = largest / std::max(row.size, smallest);
    const double place = std::floor(std::log(ratio) / std::log(kWidestPanel));
    Panel& panel = panels[row.apart ? -1 : std::clamp(place, 0.0, kMostPanels - 1.0)];
    panel.line_look = {.kind = "zero", .stroke = Color::kMuted, .width = 1.25};
    panel.rows.push_back(row);
  }
  return panels;
}

// --- ε ---

constexpr std::size_t kWithinSeries = 2;  // a triangle
constexpr std::size_t kBeyondSeries = 1;  // a square
constexpr double kWidestLinear = 20;      // ratio of the largest to the smallest ε
constexpr double kEpsilonSlack = 1e-6;    // ε may exceed what was asked for by this much: rounding

// A stem from the axis to the marker; without a limit it leaves the drawing as an arrow.
ChartRow row_of(const EpsilonChart::Row& row, double asked) {
  const bool within = row.epsilon <= asked * (1 + kEpsilonSlack);
  const bool finite = std::isfinite(row.epsilon);
  const std::size_t series = within ? kWithinSeries : kBeyondSeries;
  const std::string value = number_text(row.epsilon);
  const LegendEntry mark{.name = within ? "as asked for, or better" : "more than asked for",
                         .marker = series,
                         .radius = 5,
                         .fill = series_color(series)};
  return {.name = row.name,
          .value = finite ? value : "no limit",
          .words = finite ? fmt::format("{}: ε = {}, {} than asked for", row.name, value,
                                        within ? "no more" : "more")
                          : fmt::format("{}: no ε will do", row.name),
          .bar = {0, row.epsilon},
          .bar_look = {.kind = finite ? "stem" : "endless", .stroke = mark.fill, .width = 3},
          .marks = {{mark, row.epsilon}}};
}

// --- widths ---

constexpr std::size_t kNowSeries = 0;

ChartRow row_of(const WidthChart::Row& row, const WidthChart& chart) {
  const LegendEntry now{
      .name = chart.now, .marker = kNowSeries, .radius = 4.6, .fill = series_color(kNowSeries)};
  const LegendEntry before{.name = chart.before, .marker = kNowSeries, .radius = 4.6};
  ChartRow result{.name = row.name,
                  .value = number_text(row.now),
                  .words = fmt::format("{}: {}", row.name, number_text(row.now)),
                  .bar = {0, row.now},
                  .bar_look = {.kind = "stem", .stroke = now.fill, .width = 3}};
  if (row.before) {
    result.words += fmt::format(", {}: {}", chart.before, number_text(*row.before));
    result.marks.push_back({before, *row.before});
  }
  result.marks.push_back({now, row.now});
  return result;
}

}  // namespace

std::string draw(const WidthChart& chart, Medium medium) {
  Panel panel{.label = chart.x,
              .line_look = {.kind = "zero", .stroke = Color::kMuted, .width = 1.25}};
  std::size_t skipped = 0;
  for (const WidthChart::Row& row : chart.rows) {
    const bool shown =
        drawable(row.now, Scale::kLinear) && drawable(row.before.value_or(0), Scale::kLinear);
    if (shown) {
      panel.rows.push_back(row_of(row, chart));
    } else {
      ++skipped;
    }
  }
  return draw_panels(chart.title, {{0, panel}}, fmt::format("Chart of rows. Across: {}.", chart.x),
                     not_shown(skipped, "row", Scale::kLinear), medium);
}

std::string draw(const CoefficientChart& chart, Medium medium) {
  std::vector<ChartRow> rows;
  for (const CoefficientChart::Row& row : chart.rows) rows.push_back(row_of(row));
  const std::size_t skipped =
      std::erase_if(rows, [](const ChartRow& row) { return row.size == kInfinity; });
  std::string note = chart.note;
  if (rows.size() > kMostCoefficients) {
    note =
        join(note, fmt::format("{} of {} coefficients are drawn, those with the clearest signal.",
                               kMostCoefficients, rows.size()));
    std::ranges::stable_sort(rows, std::greater{}, &ChartRow::signal);
    rows.resize(kMostCoefficients);
  }
  Panels panels = by_size(rows);
  if (!panels.empty()) panels.rbegin()->second.label = chart.x;
  if (panels.size() > 1) note = join(note, "Mind the axes: each group has its own.");
  note = join(note, not_shown(skipped, "coefficient", Scale::kLinear));
  return draw_panels(chart.title, panels,
                     fmt::format("Dot and whisker chart. Across: {}.", chart.x), note, medium);
}

std::string draw(const EpsilonChart& chart, Medium medium) {
  const Look dashed{.kind = "asked", .stroke = Color::kMuted, .width = 1.25, .dashes = "5 4"};
  Panel panel{.label = chart.x, .line = chart.asked, .line_look = dashed};
  std::vector<double> finite{chart.asked};
  for (const EpsilonChart::Row& row : chart.rows) {
    panel.rows.push_back(row_of(row, chart.asked));
    if (std::isfinite(row.epsilon)) finite.push_back(row.epsilon);
  }
  const auto [low, high] = std::ranges::minmax(finite);
  // An arrow runs past every marker.
  panel.reach = finite.size() > chart.rows.size() ? high : 1.3 * high;
  if (low > 0 && panel.reach / low > kWidestLinear) panel.scale = Scale::kLog10;
  panel.line_name = fmt::format("asked for: ε = {}", number_text(chart.asked));
  const std::string words =
      fmt::format("Chart of rows. Across: {}. Dashed: {}.", chart.x, panel.line_name);
  return draw_panels(chart.title, {{0, panel}}, words, "", medium);
}

}  // namespace sotto::report
