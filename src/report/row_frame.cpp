#include "report/row_frame.h"

#include <algorithm>

namespace sotto {
namespace {

constexpr double kNameSize = 12.5;
constexpr double kTickSize = 12;
constexpr double kLine = 17;
constexpr double kWideRow = 27;
constexpr double kStackedRow = 43;   // a line of text above the marks
constexpr double kWidestName = 230;  // of 720
constexpr double kWidestValue = 150;

}  // namespace

RowFrame::RowFrame(Svg& svg, ChartSize size, const std::string& title,
                   const std::vector<LegendEntry>& legend)
    : svg_(svg), size_(size), left_(kMargin + 4), right_(size.width - kMargin - 4) {
  height_ = draw_title(svg, size.width, kMargin, title);
  height_ = draw_legend(svg, size.width, height_, legend);
}

void RowFrame::fit_columns(std::span<const RowLabel> rows) {
  double name = 0;
  for (const RowLabel& row : rows) {
    name = std::max(name, text_width(row.name, kNameSize));
    value_width_ = std::max(value_width_, text_width(row.value, kNameSize));
  }
  value_width_ = std::min(value_width_, kWidestValue);
  if (stacked()) return;
  left_ = kMargin + std::min(name, kWidestName) + 18;
  right_ = size_.width - kMargin - value_width_ - 16;
}

double RowFrame::row_height() const {
  return stacked() ? kStackedRow : kWideRow;
}

double RowFrame::x(double value) const {
  return left_ + (right_ - left_) * std::clamp(axis_.fraction(value), 0.0, 1.0);
}

double RowFrame::y(std::size_t row) const {
  const double middle = stacked() ? 0.68 : 0.5;
  return top_ + row_height() * (static_cast<double>(row) + middle);
}

void RowFrame::draw_panel(const std::vector<RowLabel>& rows, std::span<const double> values,
                          Scale scale, const std::string& label,
                          const std::vector<RowLine>& lines) {
  top_ = height_ + 4;
  bottom_ = top_ + row_height() * static_cast<double>(rows.size()) + 4;
  axis_ = fit_axis_between(values, scale, left_, right_);
  draw_axis(label);
  for (const RowLine& line : lines) draw_line(line);
  draw_labels(rows);
}

void RowFrame::draw_axis(const std::string& label) {
  svg_.element("line", {{"x1", left_},
                        {"x2", right_},
                        {"y1", bottom_},
                        {"y2", bottom_},
                        {"stroke", svg_.ink(Ink::kGrid)}});
  for (const Tick& tick : axis_.ticks) {
    const double at = x(tick.value);
    const bool minor = tick.label.empty();
    svg_.element("line", {{"class", minor ? "minor" : "grid"},
                          {"x1", at},
                          {"x2", at},
                          {"y1", minor ? bottom_ : top_},
                          {"y2", bottom_ + (minor ? 3 : 5)},
                          {"stroke", svg_.ink(Ink::kGrid)}});
    if (minor) continue;
    const double half = text_width(tick.label, kTickSize) / 2;
    svg_.text(std::clamp(at, half + 2, size_.width - half - 2), bottom_ + 19, tick.label,
              {.size = kTickSize, .ink = Ink::kMuted, .anchor = "middle", .kind = "x-tick"});
  }
  height_ = bottom_ + 24;
  const double center = (left_ + right_) / 2;
  const double room = 2 * std::min(center, size_.width - center) - 4;
  const std::string name = label + (axis_.scale == Scale::kLog10 ? " (log scale)" : "");
  for (const std::string& line : wrap_text(name, room, kNameSize)) {
    height_ += kLine;
    svg_.text(center, height_ - 4, line,
              {.size = kNameSize, .ink = Ink::kMuted, .anchor = "middle", .kind = "x-label"});
  }
  height_ += kMargin - 4;
}

void RowFrame::draw_labels(const std::vector<RowLabel>& rows) {
  const double names = stacked() ? right_ - left_ - value_width_ - 12 : left_ - kMargin - 16;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double at = stacked() ? top_ + row_height() * static_cast<double>(i) + 18 : y(i) + 4.5;
    const std::string name = shorten(rows[i].name, names, kNameSize);
    svg_.open("g");
    if (name != rows[i].name) svg_.tooltip(rows[i].name);
    if (stacked()) {
      svg_.text(left_ - 2, at, name, {.size = kNameSize, .halo = true, .kind = "row-name"});
    } else {
      svg_.text(left_ - 16, at, name, {.size = kNameSize, .anchor = "end", .kind = "row-name"});
    }
    svg_.close("g");
    svg_.text(size_.width - kMargin, at, shorten(rows[i].value, value_width_, kNameSize),
              {.size = kNameSize,
               .ink = Ink::kMuted,
               .anchor = "end",
               .halo = stacked(),
               .kind = "row-value"});
  }
}

void RowFrame::draw_line(const RowLine& line) {
  svg_.element("line", {{"class", line.kind},
                        {"x1", x(line.value)},
                        {"x2", x(line.value)},
                        {"y1", top_},
                        {"y2", bottom_},
                        {"stroke", svg_.ink(Ink::kMuted)},
                        {"stroke-width", 1.25},
                        {"stroke-dasharray", line.dashes}});
}

void RowFrame::open_row(std::size_t row, const std::string& tooltip) {
  svg_.open("g", {{"class", "row"}});
  svg_.tooltip(tooltip);
  svg_.element("rect", {{"x", left_},
                        {"y", top_ + row_height() * static_cast<double>(row)},
                        {"width", right_ - left_},
                        {"height", row_height()},
                        {"fill", "#000"},
                        {"fill-opacity", 0.0}});
}

void RowFrame::draw_note(const std::string& text) {
  for (const std::string& line : wrap_text(text, size_.width - 2 * kMargin, kTickSize)) {
    svg_.text(kMargin, height_ + 6, line, {.size = kTickSize, .ink = Ink::kMuted, .kind = "note"});
    height_ += 16;
  }
  height_ += 4;
}

}  // namespace sotto
