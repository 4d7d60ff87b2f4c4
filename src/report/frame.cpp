#include "report/frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kTitleSize = 15;
constexpr double kLabelSize = 12.5;
constexpr double kTickSize = 12;
constexpr double kLine = 17;          // from one line of text to the next
constexpr double kLabelSpacing = 42;  // plot height per label of the y axis
constexpr int kMostRows = 3;          // of category names

}  // namespace

int most_y_labels(ChartSize size) {
  return std::max(2, static_cast<int>(size.plot_height / kLabelSpacing));
}

Frame::Frame(Svg& svg, ChartSize size, const ChartLabels& labels,
             const std::vector<LegendEntry>& legend, Axis y_axis)
    : svg_(svg), size_(size), y_axis_(std::move(y_axis)) {
  double widest = 0;
  for (const Tick& tick : y_axis_.ticks) {
    widest = std::max(widest, text_width(tick.label, kTickSize));
  }
  left_ = kMargin + widest + 8;
  right_ = size.width - kMargin - 6;
  height_ = draw_title(svg, size.width, kMargin, labels.title);
  height_ = draw_legend(svg, size.width, height_, legend);
  draw_y_axis(labels.y);
}

double draw_title(Svg& svg, double width, double y, const std::string& title) {
  for (const std::string& line : wrap_text(title, width - 2 * kMargin, kTitleSize, true)) {
    y += kTitleSize + 4;
    svg.text(kMargin, y - 4, line, {.size = kTitleSize, .bold = true, .kind = "title"});
  }
  return y + 6;
}

double draw_legend(Svg& svg, double width, double y, const std::vector<LegendEntry>& legend) {
  constexpr double kGap = 20;
  constexpr double kBeforeName = 7;
  const double most = width - 2 * kMargin - kLegendSampleWidth - kBeforeName;
  double x = kMargin;
  bool any = false;
  for (const LegendEntry& entry : legend) {
    if (entry.name.empty()) continue;
    const std::string name = shorten(entry.name, most, kLabelSize);
    const double room = kLegendSampleWidth + kBeforeName + text_width(name, kLabelSize);
    if (any && x + room > width - kMargin) {
      x = kMargin;
      y += kLine + 3;
    }
    any = true;
    svg.open("g", {{"class", "legend-entry"}});
    if (name != entry.name) svg.tooltip(entry.name);
    entry.sample(svg, x, y + kLine / 2);
    svg.text(x + kLegendSampleWidth + kBeforeName, y + kLine / 2 + 4.5, name,
             {.size = kLabelSize, .kind = "legend"});
    svg.close("g");
    x += room + kGap;
  }
  return any ? y + kLine + 8 : y;
}

Axis fit_axis_between(std::span<const double> values, Scale scale, double left, double right) {
  const auto overlap = [&](const Axis& axis) {
    double free_from = 0;
    for (const Tick& tick : axis.ticks) {
      if (tick.label.empty()) continue;
      const double half = text_width(tick.label, kTickSize) / 2;
      const double at = left + (right - left) * axis.fraction(tick.value);
      if (at - half < free_from) return true;
      free_from = at + half + 10;
    }
    return false;
  };
  int labels = 10;
  Axis axis = fit_axis(values, scale, labels);
  while (labels > 2 && overlap(axis)) axis = fit_axis(values, scale, --labels);
  return axis;
}

void Frame::draw_y_axis(const std::string& label) {
  const std::string name = label + (y_axis_.scale == Scale::kLog10 ? " (log scale)" : "");
  // Above the axis and level, because nobody should have to tilt their head.
  for (const std::string& line : wrap_text(name, size_.width - 2 * kMargin, kLabelSize)) {
    height_ += kLine;
    svg_.text(kMargin, height_ - 4, line,
              {.size = kLabelSize, .ink = Ink::kMuted, .kind = "y-label"});
  }
  height_ += 10;
  top_ = height_;
  height_ = bottom();

  for (const Tick& tick : y_axis_.ticks) {
    const double at = y(tick.value);
    const bool minor = tick.label.empty();
    svg_.element("line", {{"class", minor ? "minor" : "grid"},
                          {"x1", minor ? left_ - 3 : left_},
                          {"x2", minor ? left_ : right_},
                          {"y1", at},
                          {"y2", at},
                          {"stroke", svg_.ink(Ink::kGrid)}});
    if (minor) continue;
    svg_.text(left_ - 8, at + 4, tick.label,
              {.size = kTickSize, .ink = Ink::kMuted, .anchor = "end", .kind = "y-tick"});
  }
}

double Frame::y(double value) const {
  if (!drawable(value, y_axis_.scale)) return bottom();
  return bottom() - size_.plot_height * std::max(0.0, y_axis_.fraction(value));
}

double Frame::x(const Axis& axis, double value) const {
  return left_ + (right_ - left_) * axis.fraction(value);
}

Axis Frame::draw_x_axis(std::span<const double> values, Scale scale, const std::string& label) {
  Axis axis = fit_axis_between(values, scale, left_, right_);

  svg_.element("line", {{"x1", left_},
                        {"x2", right_},
                        {"y1", bottom()},
                        {"y2", bottom()},
                        {"stroke", svg_.ink(Ink::kMuted)}});
  for (const Tick& tick : axis.ticks) {
    const double at = x(axis, tick.value);
    const bool minor = tick.label.empty();
    svg_.element("line", {{"class", minor ? "minor" : "mark"},
                          {"x1", at},
                          {"x2", at},
                          {"y1", bottom()},
                          {"y2", bottom() + (minor ? 3 : 5)},
                          {"stroke", svg_.ink(minor ? Ink::kGrid : Ink::kMuted)}});
    if (minor) continue;
    // The last label may be wider than the margin beside it.
    const double half = text_width(tick.label, kTickSize) / 2;
    svg_.text(std::clamp(at, half + 2, size_.width - half - 2), bottom() + 19, tick.label,
              {.size = kTickSize, .ink = Ink::kMuted, .anchor = "middle", .kind = "x-tick"});
  }
  height_ = bottom() + 22;
  draw_x_label(label + (scale == Scale::kLog10 ? " (log scale)" : ""));
  return axis;
}

double Frame::slot_width(std::size_t slots) const {
  return (right_ - left_) / static_cast<double>(std::max<std::size_t>(slots, 1));
}

double Frame::slot_center(std::size_t slot, std::size_t slots) const {
  return left_ + slot_width(slots) * (static_cast<double>(slot) + 0.5);
}

void Frame::draw_categories(const std::vector<std::string>& names, const std::string& label) {
  const double slot = slot_width(names.size());
  double widest = 0;
  for (const std::string& name : names) widest = std::max(widest, text_width(name, kTickSize) + 8);
  // Names wider than their slot go on several rows in turn.
  const int rows = std::clamp(static_cast<int>(std::ceil(widest / slot)), 1, kMostRows);

  svg_.element("line", {{"x1", left_},
                        {"x2", right_},
                        {"y1", bottom()},
                        {"y2", bottom()},
                        {"stroke", svg_.ink(Ink::kMuted)}});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double center = slot_center(i, names.size());
    // At the ends of the axis a name must also stay inside the drawing.
    const double room = std::min(slot * rows - 8, 2 * std::min(center, size_.width - center) - 4);
    const std::string name = shorten(names[i], room, kTickSize);
    const double row = static_cast<double>(static_cast<int>(i) % rows);
    svg_.open("g");
    if (name != names[i]) svg_.tooltip(names[i]);
    svg_.text(center, bottom() + 19 + row * kLine, name,
              {.size = kTickSize, .anchor = "middle", .kind = "x-tick"});
    svg_.close("g");
  }
  height_ = bottom() + 22 + (rows - 1) * kLine;
  draw_x_label(label);
}

void Frame::draw_x_label(const std::string& label) {
  const double center = (left_ + right_) / 2;
  const double room = 2 * std::min(center, size_.width - center) - 4;
  for (const std::string& line : wrap_text(label, room, kLabelSize)) {
    height_ += kLine + 2;
    svg_.text(center, height_ - 4, line,
              {.size = kLabelSize, .ink = Ink::kMuted, .anchor = "middle", .kind = "x-label"});
  }
  height_ += kMargin - 4;
}

void Frame::draw_note(const std::string& text) {
  for (const std::string& line : wrap_text(text, size_.width - 2 * kMargin, 11.5)) {
    svg_.text(kMargin, height_ + 6, line, {.size = 11.5, .ink = Ink::kMuted, .kind = "note"});
    height_ += 15;
  }
  height_ += 4;
}

std::string axis_in_words(const std::string& label, const Axis& axis) {
  return fmt::format("{}{}, from {:.4g} to {:.4g}", label,
                     axis.scale == Scale::kLog10 ? " (logarithmic)" : "", axis.low, axis.high);
}

}  // namespace sotto
