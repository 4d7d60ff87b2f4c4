#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/svg.h"

// What every chart has around its data: title, legend, axes, grid, remarks.
namespace sotto::report {

// An axis can show a value up to ±10¹⁰⁰ and, on a logarithmic axis, from 10⁻¹⁰⁰ up.
[[nodiscard]] bool drawable(double value, Scale scale);

// "Not shown: 2 points that are not finite, or beyond ±10¹⁰⁰.", or nothing if there are none.
[[nodiscard]] std::string not_shown(std::size_t count, std::string_view what, Scale scale);

struct Tick {
  double value = 0;
  std::string label;  // empty for a minor tick
};

// A range that starts and ends on round numbers. Invariant: low < high, both
// drawable; every tick lies between them, in rising order.
struct Axis {
  Scale scale = Scale::kLinear;
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks{};

  // Where a value lies: 0 at `low`, 1 at `high`, linear in the value or in its logarithm.
  [[nodiscard]] double fraction(double value) const {
    if (scale == Scale::kLinear) return (value - low) / (high - low);
    return std::log(value / low) / std::log(high / low);
  }
};

// The axis that holds every drawable value, with about `most_labels` labels
// (at least 2). Round steps are 1, 2 or 5 times a power of ten. Values that are
// all equal stand in the middle; without any value the axis is [0, 1], or
// [0.1, 1] if it is logarithmic.
[[nodiscard]] Axis fit_axis(std::span<const double> values, Scale scale, int most_labels);

// A name beside a sample of its series: a patch if that is filled, or else a line, and a marker
// in its middle. Without a name: nothing.
struct LegendEntry {
  std::string name;
  Look sample{};
  std::optional<std::size_t> marker{};  // its series
  double radius = 3.4;
  Color fill = Color::kPaper;  // of the marker
};
inline constexpr double kMargin = 14;  // around everything
[[nodiscard]] constexpr double width_of(Medium medium) {
  return medium == Medium::kTelephone ? 360 : 720;
}

// A drawing from top to bottom, which so finds its height. (left, top) to (right, bottom) is the
// plot.
class Frame : public Svg {
 public:
  // Title and legend.
  Frame(Medium medium, const std::string& title, const std::vector<LegendEntry>& legend = {});

  // A y axis that holds the values, with its grid: begins a plot. Returns
  // the axis in words: "mean-square error (log scale), from 0.0001 to 1"
  std::string draw_y_axis(std::span<const double> values, Scale scale, const std::string& label);
  // A plot without one: begins below what is there.
  void begin_plot(double left, double right, double height);

  // The same for x; with lines up through the plot if it has no other grid.
  std::string draw_x_axis(std::span<const double> values, Scale scale, const std::string& label);
  // The x axis of categories, in slots of equal width, which it returns.
  double draw_categories(const std::vector<std::string>& names, const std::string& label);

  // The place of a value. What an axis cannot show stands at its near end.
  [[nodiscard]] double x(double value) const {
    return left_ + (right_ - left_) * std::clamp(x_axis_.fraction(value), 0.0, 1.0);
  }
  [[nodiscard]] double y(double value) const {
    if (!drawable(value, y_axis_.scale)) return bottom_;
    return bottom_ - (bottom_ - top_) * std::max(0.0, y_axis_.fraction(value));
  }

  // The document, with a remark below the chart. A screen reader says the words and the remark.
  [[nodiscard]] std::string finish(const std::string& words, const std::string& note);

  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] double bottom() const { return bottom_; }

 private:
  void draw_lines(const std::string& all, Point from, double width, const TextLook& look);
  void draw_x_label(const std::string& label);

  std::string title_;
  double width_;
  Axis x_axis_;
  Axis y_axis_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  double height_ = kMargin;
};

}  // namespace sotto::report
