#include "report/frame.h"

#include <fmt/core.h>

#include <iterator>

#include "base/check.h"
#include "report/text.h"

// Axes that end on round numbers; titles, legends, grids and labels, so placed that no text
// leaves the drawing or meets another.
namespace sotto::report {
namespace {

constexpr double kMostDrawable = 1e100;

// Numbers nearer to each other than this, relative to their size, count as
// equal: ticks between them would need more digits than anyone can read.
constexpr double kSameRelative = 1e-9;

struct Step {
  int mantissa = 1;
  int exponent = 0;
  [[nodiscard]] double value() const { return mantissa * std::pow(10.0, exponent); }
};

// Within a bit or so of the next power of ten counts as that power.
int exponent_of(double value) {
  return static_cast<int>(std::floor(std::log10(value) + 1e-12));
}

// The largest of {1, 2, 5}·10^k that is not above `raw` > 0; up: the smallest not below it.
Step round_step(double raw, bool up) {
  const int exponent = exponent_of(raw);
  Step below{1, exponent};
  for (const Step step : {Step{2, exponent}, Step{5, exponent}, Step{1, exponent + 1}}) {
    if (up && below.value() >= raw * (1 - 1e-12)) return below;
    if (!up && step.value() > raw * (1 + 1e-12)) return below;
    below = step;
  }
  return below;
}

std::string linear_label(double index, Step step, double largest) {
  if (index == 0) return "0";
  if (step.exponent >= -4 && largest < 1e6) {
    return with_minus_sign(
        fmt::format("{:.{}f}", index * step.value(), std::max(0, -step.exponent)));
  }
  // One power of ten for all labels, so that they can be compared at a glance.
  const int exponent = exponent_of(largest);
  const int digits = std::max(0, exponent - step.exponent);
  return scientific(fmt::format("{:.{}f}", index * step.mantissa * std::pow(10.0, -digits), digits),
                    exponent);
}

Axis linear_axis(double low, double high, int most_labels) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= kSameRelative * size || size < 1 / kMostDrawable) {
    const double half = size < 1 / kMostDrawable ? 1 : size / 2;
    low -= half;
    high += half;
  }
  const Step step = round_step((high - low) / most_labels, true);
  // Index 0.999999 of a step is 1 whose last bit was lost.
  const double first = std::floor(low / step.value() + 1e-9);
  const double last = std::ceil(high / step.value() - 1e-9);
  Axis axis{.low = first * step.value(), .high = last * step.value()};
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  for (double index = first; index <= last; ++index) {
    axis.ticks.push_back({index * step.value(), linear_label(index, step, largest)});
  }
  return axis;
}

Axis log_axis(double low, double high, int most_labels) {
  if (high <= low * (1 + kSameRelative)) {
    low /= 2;
    high *= 2;
  }
  // A twentieth lower, so that no line runs along the foot of the chart.
  Axis axis{Scale::kLog10, round_step(low / 1.05, false).value(), round_step(high, true).value()};
  const double decades = std::log10(axis.high) - std::log10(axis.low);
  const bool only_powers = decades * 3 > most_labels;  // of ten carry a label; or 2 and 5 as well
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most_labels)));
  const bool plain = axis.low >= 0.01 && axis.high <= 10000;
  for (int exponent = exponent_of(axis.low); exponent <= exponent_of(axis.high); ++exponent) {
    for (int mantissa = 1; mantissa <= 9; ++mantissa) {
      const double value = Step{mantissa, exponent}.value();
      if (value < axis.low || value > axis.high) continue;
      const bool round = mantissa == 1 || (!only_powers && (mantissa == 2 || mantissa == 5));
      const bool major = exponent % every == 0 && round;
      if (!major && mantissa > 1 && decades > 6) continue;
      const std::string label =
          plain ? fmt::format("{:g}", value) : scientific(fmt::format("{}", mantissa), exponent);
      axis.ticks.push_back({value, major ? label : ""});
    }
  }
  return axis;
}

constexpr double kTitleSize = 15;
constexpr double kLabelSize = 12.5;
constexpr double kTickSize = 12;
constexpr double kNoteSize = 11.5;
constexpr double kLeading = 4.5;      // between two lines of text
constexpr double kLabelHeight = 42;   // of the plot, per label of the y axis
constexpr double kLabelWidth = 38;    // per label of the x axis
constexpr double kLegendLine = 20;    // from one line of the legend to the next
constexpr double kLegendSample = 30;  // the width of a sample
constexpr double kBeforeName = 37;    // from there to its name

std::string with_scale(const std::string& label, Scale scale) {
  return scale == Scale::kLog10 ? label + " (log scale)" : label;
}

}  // namespace

bool drawable(double value, Scale scale) {
  if (scale == Scale::kLog10 && !(value >= 1 / kMostDrawable)) return false;
  return std::abs(value) <= kMostDrawable;
}

std::string not_shown(std::size_t count, std::string_view what, Scale scale) {
  if (count == 0) return "";
  const char* why = scale == Scale::kLinear
                        ? "not finite, or beyond ±10¹⁰⁰"
                        : "not finite, not positive, or outside 10⁻¹⁰⁰ to 10¹⁰⁰";
  return fmt::format("Not shown: {} {}{} {}.", count, what, count == 1 ? " that is" : "s that are",
                     why);
}

Axis fit_axis(std::span<const double> values, Scale scale, int most_labels) {
  check(most_labels >= 2, "an axis has at least two labels");
  const bool linear = scale == Scale::kLinear;
  std::vector<double> shown;
  std::ranges::copy_if(values, std::back_inserter(shown),
                       [&](double value) { return drawable(value, scale); });
  if (shown.empty()) shown = {linear ? 0 : 0.11, 1};
  const auto [low, high] = std::ranges::minmax(shown);
  return linear ? linear_axis(low, high, most_labels) : log_axis(low, high, most_labels);
}

Frame::Frame(Medium medium, const std::string& title, const std::vector<LegendEntry>& legend)
    : Svg(medium), title_(title), width_(width_of(medium)) {
  const double width = width_ - 2 * kMargin;
  draw_lines(title, {kMargin, height_}, width, {.kind = "title", .size = kTitleSize, .bold = true});
  height_ += 6;
  double x = kMargin;
  for (const LegendEntry& entry : legend) {
    if (entry.name.empty()) continue;
    const double taken = std::min(kBeforeName + text_width(entry.name, kLabelSize), width);
    if (x > kMargin && x + taken > width_ - kMargin) {
      x = kMargin;
      height_ += kLegendLine;
    }
    const double middle = height_ + 8.5;
    Look sample = entry.sample;
    sample.kind = "sample";
    if (sample.fill != Color::kNone) {
      rect({x + 1, middle - 6}, kLegendSample - 2, 12, sample);
    } else {
      line({x, middle}, {x + kLegendSample, middle}, sample);
    }
    if (entry.marker) {
      marker(*entry.marker, {x + kLegendSample / 2, middle}, entry.radius, entry.fill);
    }
    text({x + kBeforeName, height_ + 13}, entry.name,
         {.kind = "legend", .size = kLabelSize, .room = width - kBeforeName});
    x += taken + 20;
  }
  if (x > kMargin) height_ += kLegendLine + 5;
}

// Moves the height below the text.
void Frame::draw_lines(const std::string& all, Point from, double width, const TextLook& look) {
  height_ = from.y;
  for (const std::string& words : wrap_text(all, width, look.bold ? 1.1 * look.size : look.size)) {
    height_ += look.size + kLeading;
    text({from.x, height_ - 4}, words, look);
  }
}

void Frame::begin_plot(double left, double right, double height) {
  left_ = left;
  right_ = right;
  top_ = height_;
  bottom_ = top_ + height;
  height_ = bottom_;
}

std::string Frame::draw_y_axis(std::span<const double> values, Scale scale,
                               const std::string& label) {
  const std::string name = with_scale(label, scale);
  const double height = 220 + width_ / 9;  // 300; on a telephone 260
  y_axis_ = fit_axis(values, scale, static_cast<int>(height / kLabelHeight));
  // Above the axis and level, because nobody should have to tilt their head.
  draw_lines(name, {kMargin, height_}, width_ - 2 * kMargin,
             {.kind = "y-label", .size = kLabelSize, .color = Color::kMuted});
  height_ += 10;
  double widest = 0;
  for (const Tick& tick : y_axis_.ticks) {
    widest = std::max(widest, text_width(tick.label, kTickSize));
  }
  begin_plot(kMargin + widest + 8, width_ - kMargin - 6, height);
  for (const Tick& tick : y_axis_.ticks) {
    const double at = y(tick.value);
    const bool minor = tick.label.empty();
    line({minor ? left_ - 3 : left_, at}, {minor ? left_ : right_, at},
         {.kind = minor ? "minor" : "grid", .stroke = Color::kGrid});
    if (minor) continue;
    text({left_ - 8, at + 4}, tick.label,
         {.kind = "y-tick", .size = kTickSize, .color = Color::kMuted, .anchor = "end"});
  }
  return fmt::format("{}, from {:.4g} to {:.4g}", name, y_axis_.low, y_axis_.high);
}

std::string Frame::draw_x_axis(std::span<const double> values, Scale scale,
                               const std::string& label) {
  const bool grid = y_axis_.ticks.empty();
  const int most_labels = static_cast<int>((right_ - left_) / kLabelWidth);
  x_axis_ = fit_axis(values, scale, std::clamp(most_labels, 2, 10));
  const Color color = grid ? Color::kGrid : Color::kMuted;
  line({left_, bottom_}, {right_, bottom_}, {.stroke = color});
  double free_from = 0;
  for (const Tick& tick : x_axis_.ticks) {
    const double at = x(tick.value);
    const double half = text_width(tick.label, kTickSize) / 2;
    // A label that would meet the one before it is left out.
    if (tick.label.empty() || at - half < free_from) {
      line({at, bottom_}, {at, bottom_ + 3}, {.kind = "minor", .stroke = Color::kGrid});
      continue;
    }
    free_from = at + half + 10;
    line({at, grid ? top_ : bottom_}, {at, bottom_ + 5},
         {.kind = grid ? "grid" : "mark", .stroke = color});
    // The last label may be wider than the margin beside it.
    text({std::clamp(at, half + 2, width_ - half - 2), bottom_ + 19}, tick.label,
         {.kind = "x-tick", .size = kTickSize, .color = Color::kMuted, .anchor = "middle"});
  }
  const std::string name = with_scale(label, scale);
  draw_x_label(name);
  return fmt::format("{}, from {:.4g} to {:.4g}", name, x_axis_.low, x_axis_.high);
}

double Frame::draw_categories(const std::vector<std::string>& names, const std::string& label) {
  const double slot =
      (right_ - left_) / static_cast<double>(std::max<std::size_t>(names.size(), 1));
  line({left_, bottom_}, {right_, bottom_}, {.stroke = Color::kMuted});
  double center = left_ + slot / 2;
  for (const std::string& name : names) {
    text({center, bottom_ + 19}, name,
         {.kind = "x-tick", .size = kTickSize, .anchor = "middle", .room = slot - 6});
    center += slot;
  }
  draw_x_label(label);
  return slot;
}

void Frame::draw_x_label(const std::string& label) {
  const double center = (left_ + right_) / 2;
  draw_lines(label, {center, bottom_ + 24}, 2 * std::min(center, width_ - center) - 4,
             {.kind = "x-label", .size = kLabelSize, .color = Color::kMuted, .anchor = "middle"});
  height_ += kMargin - 4;
}

std::string Frame::finish(const std::string& words, const std::string& note) {
  if (!note.empty()) {
    draw_lines(note, {kMargin, height_ - 4}, width_ - 2 * kMargin,
               {.kind = "note", .size = kNoteSize, .color = Color::kMuted});
    height_ += 4;
  }
  return document(width_, height_, title_, join(words, note));
}

}  // namespace sotto::report
