#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/svg.h"

// What every chart has around its data: title, legend, axes, grid, remarks.
namespace sotto::report {

// An axis can show a value that is finite and, on a logarithmic axis, positive.
[[nodiscard]] bool drawable(double value, Scale scale);

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
  [[nodiscard]] double fraction(double value) const;

  // "iteration t, from 0 to 2000"
  [[nodiscard]] std::string in_words(const std::string& label) const;
};

// The axis that holds every drawable value, with about `most_labels` labels
// (at least 2). Round steps are 1, 2 or 5 times a power of ten. Values that are
// all equal stand in the middle; without any value the axis is [0, 1], or
// [0.1, 1] if it is logarithmic.
[[nodiscard]] Axis fit_axis(std::span<const double> values, Scale scale, int most_labels);

// A name beside a sample of its series: a patch, a line across it, a marker in its middle.
struct LegendEntry {
  std::string name;
  Look patch{};
  Look line{};
  std::optional<std::size_t> marker{};  // its series
  double radius = 3.4;
  std::string fill{};  // of the marker
};
inline constexpr double kLegendSample = 30;
inline constexpr double kMargin = 14;  // around everything

// Draws from top to bottom and so finds its height. (left, top) to (right, bottom) is the plot.
class Frame {
 public:
  // Title and legend.
  Frame(Svg& svg, ChartSize size, const std::string& title,
        const std::vector<LegendEntry>& legend = {});

  // A y axis that holds the values, with its grid: begins a plot of size.plot_height.
  void draw_y_axis(std::span<const double> values, Scale scale, const std::string& label);
  // A plot without one: begins below what is there.
  void begin_plot(double left, double right, double height);

  // The x axis of numbers, with as many labels as fit side by side; with lines up
  // through the plot if it has no other grid.
  void draw_x_axis(std::span<const double> values, Scale scale, const std::string& label,
                   bool grid);
  // The x axis of categories, in slots of equal width.
  void draw_categories(const std::vector<std::string>& names, const std::string& label);

  // The place of a value. What an axis cannot show stands at its near end.
  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;
  [[nodiscard]] double slot_width(std::size_t slots) const;

  // A remark below the chart, `indent` from its edge.
  void draw_note(const std::string& text, double indent = 0);

  [[nodiscard]] const Axis& x_axis() const { return x_axis_; }
  [[nodiscard]] const Axis& y_axis() const { return y_axis_; }
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] double bottom() const { return bottom_; }
  [[nodiscard]] double height() const { return height_; }

 private:
  void draw_lines(const std::string& text, Point from, double width, const TextLook& look);
  void draw_x_label(const std::string& label);
  [[nodiscard]] bool crowded() const;

  Svg& svg_;
  ChartSize size_;
  Axis x_axis_;
  Axis y_axis_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  double height_ = kMargin;
};

}  // namespace sotto::report
