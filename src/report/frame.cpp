#include "report/frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/text.h"

// Titles, legends, grids and labels, so placed that no text leaves the drawing or meets another.
namespace sotto::report {
namespace {

constexpr double kTitleSize = 15;
constexpr double kLabelSize = 12.5;
constexpr double kTickSize = 12;
constexpr double kNoteSize = 11.5;
constexpr double kLeading = 4.5;      // between two lines of text
constexpr double kLabelSpacing = 42;  // plot height per label of the y axis
constexpr double kBeforeName = 7;     // between a legend's sample and its name

std::string with_scale(const std::string& label, const Axis& axis) {
  return axis.scale == Scale::kLog10 ? label + " (log scale)" : label;
}

}  // namespace

Frame::Frame(Svg& svg, ChartSize size, const std::string& title,
             const std::vector<LegendEntry>& legend)
    : svg_(svg), size_(size) {
  const double width = size.width - 2 * kMargin;
  draw_lines(title, {kMargin, height_}, width, {.size = kTitleSize, .bold = true, .kind = "title"});
  height_ += 6;
  constexpr double kLine = 20;
  double x = kMargin;
  for (const LegendEntry& entry : legend) {
    if (entry.name.empty()) continue;
    const double before = kLegendSample + kBeforeName;
    const std::string name = shorten(entry.name, width - before, kLabelSize);
    const double room = before + text_width(name, kLabelSize);
    if (x > kMargin && x + room > size.width - kMargin) {
      x = kMargin;
      height_ += kLine;
    }
    svg.open_group("legend-entry", name == entry.name ? "" : entry.name);
    const double middle = height_ + 8.5;
    Look patch = entry.patch;
    Look line = entry.line;
    patch.kind = line.kind = "sample";
    if (patch.fill != "none") svg.rect({x + 1, middle - 6}, kLegendSample - 2, 12, patch);
    if (!line.stroke.empty()) svg.line({x, middle}, {x + kLegendSample, middle}, line);
    if (entry.marker) {
      svg.marker(*entry.marker, {x + kLegendSample / 2, middle}, entry.radius, entry.fill);
    }
    svg.text({x + before, height_ + 13}, name, {.size = kLabelSize, .kind = "legend"});
    svg.close_group();
    x += room + 20;
  }
  if (x > kMargin) height_ += kLine + 5;
}

// Moves the height below the text.
void Frame::draw_lines(const std::string& text, Point from, double width, const TextLook& look) {
  height_ = from.y;
  for (const std::string& line : wrap_text(text, width, look.bold ? 1.1 * look.size : look.size)) {
    height_ += look.size + kLeading;
    svg_.text({from.x, height_ - 4}, line, look);
  }
}

void Frame::begin_plot(double left, double right, double height) {
  left_ = left;
  right_ = right;
  top_ = height_;
  bottom_ = top_ + height;
  height_ = bottom_;
}

void Frame::draw_y_axis(std::span<const double> values, Scale scale, const std::string& label) {
  y_axis_ =
      fit_axis(values, scale, std::max(2, static_cast<int>(size_.plot_height / kLabelSpacing)));
  // Above the axis and level, because nobody should have to tilt their head.
  draw_lines(with_scale(label, y_axis_), {kMargin, height_}, size_.width - 2 * kMargin,
             {.size = kLabelSize, .ink = Ink::kMuted, .kind = "y-label"});
  height_ += 10;
  double widest = 0;
  for (const Tick& tick : y_axis_.ticks) {
    widest = std::max(widest, text_width(tick.label, kTickSize));
  }
  begin_plot(kMargin + widest + 8, size_.width - kMargin - 6, size_.plot_height);
  for (const Tick& tick : y_axis_.ticks) {
    const double at = y(tick.value);
    const bool minor = tick.label.empty();
    svg_.line({minor ? left_ - 3 : left_, at}, {minor ? left_ : right_, at},
              {.kind = minor ? "minor" : "grid", .stroke = svg_.ink(Ink::kGrid)});
    if (minor) continue;
    svg_.text({left_ - 8, at + 4}, tick.label,
              {.size = kTickSize, .ink = Ink::kMuted, .anchor = "end", .kind = "y-tick"});
  }
}

double Frame::y(double value) const {
  if (!drawable(value, y_axis_.scale)) return bottom_;
  return bottom_ - (bottom_ - top_) * std::max(0.0, y_axis_.fraction(value));
}

double Frame::x(double value) const {
  return left_ + (right_ - left_) * std::clamp(x_axis_.fraction(value), 0.0, 1.0);
}

bool Frame::crowded() const {
  double free_from = 0;
  for (const Tick& tick : x_axis_.ticks) {
    if (tick.label.empty()) continue;
    const double half = text_width(tick.label, kTickSize) / 2;
    if (x(tick.value) - half < free_from) return true;
    free_from = x(tick.value) + half + 10;
  }
  return false;
}

void Frame::draw_x_axis(std::span<const double> values, Scale scale, const std::string& label,
                        bool grid) {
  int labels = 10;
  x_axis_ = fit_axis(values, scale, labels);
  while (labels > 2 && crowded()) x_axis_ = fit_axis(values, scale, --labels);

  const std::string muted = svg_.ink(grid ? Ink::kGrid : Ink::kMuted);
  svg_.line({left_, bottom_}, {right_, bottom_}, {.stroke = muted});
  for (const Tick& tick : x_axis_.ticks) {
    const double at = x(tick.value);
    const bool minor = tick.label.empty();
    svg_.line({at, grid && !minor ? top_ : bottom_}, {at, bottom_ + (minor ? 3 : 5)},
              {.kind = minor  ? "minor"
                       : grid ? "grid"
                              : "mark",
               .stroke = minor ? svg_.ink(Ink::kGrid) : muted});
    if (minor) continue;
    // The last label may be wider than the margin beside it.
    const double half = text_width(tick.label, kTickSize) / 2;
    svg_.text({std::clamp(at, half + 2, size_.width - half - 2), bottom_ + 19}, tick.label,
              {.size = kTickSize, .ink = Ink::kMuted, .anchor = "middle", .kind = "x-tick"});
  }
  draw_x_label(with_scale(label, x_axis_));
}

double Frame::slot_width(std::size_t slots) const {
  return (right_ - left_) / static_cast<double>(std::max<std::size_t>(slots, 1));
}

void Frame::draw_categories(const std::vector<std::string>& names, const std::string& label) {
  const double slot = slot_width(names.size());
  svg_.line({left_, bottom_}, {right_, bottom_}, {.stroke = svg_.ink(Ink::kMuted)});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = shorten(names[i], slot - 6, kTickSize);
    svg_.open_group("", name == names[i] ? "" : names[i]);
    svg_.text({left_ + slot * (static_cast<double>(i) + 0.5), bottom_ + 19}, name,
              {.size = kTickSize, .anchor = "middle", .kind = "x-tick"});
    svg_.close_group();
  }
  draw_x_label(label);
}

void Frame::draw_x_label(const std::string& label) {
  const double center = (left_ + right_) / 2;
  draw_lines(label, {center, bottom_ + 24}, 2 * std::min(center, size_.width - center) - 4,
             {.size = kLabelSize, .ink = Ink::kMuted, .anchor = "middle", .kind = "x-label"});
  height_ += kMargin - 4;
}

void Frame::draw_note(const std::string& text, double indent) {
  if (text.empty()) return;
  draw_lines(text, {kMargin + indent, height_ - 4}, size_.width - 2 * kMargin - indent,
             {.size = kNoteSize, .ink = Ink::kMuted, .kind = "note"});
  height_ += 4;
}

}  // namespace sotto::report
