#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "report/axis.h"
#include "report/chart.h"
#include "report/polyline.h"
#include "report/svg.h"

namespace sotto {

struct LegendEntry {
  std::string name;
  // Draws a sample of the series, kLegendSampleWidth wide, from (x, y) to the
  // right; y is its middle.
  std::function<void(Svg&, double x, double y)> sample;
};
inline constexpr double kLegendSampleWidth = 30;
inline constexpr double kMargin = 14;  // around everything

// Draw across `width` from `y` downwards, and say where they end.
[[nodiscard]] double draw_title(Svg& svg, double width, double y, const std::string& title);
[[nodiscard]] double draw_legend(Svg& svg, double width, double y,
                                 const std::vector<LegendEntry>& legend);

// The axis that holds the values, with as many labels as fit side by side
// between two places of the drawing.
[[nodiscard]] Axis fit_axis_between(std::span<const double> values, Scale scale, double left,
                                    double right);

// What every chart has around its data: title, legend, axes, grid. Draws from
// top to bottom and so finds its height; (left, top) to (right, bottom) is the plot.
class Frame {
 public:
  Frame(Svg& svg, ChartSize size, const ChartLabels& labels, const std::vector<LegendEntry>& legend,
        Axis y_axis);

  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] double bottom() const { return top_ + size_.plot_height; }
  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] const Axis& y_axis() const { return y_axis_; }

  // The vertical position of a value. What is too low for the axis stands at its foot.
  [[nodiscard]] double y(double value) const;

  // The x axis of numbers: as many labels as fit side by side.
  [[nodiscard]] Axis draw_x_axis(std::span<const double> values, Scale scale,
                                 const std::string& label);
  [[nodiscard]] double x(const Axis& axis, double value) const;

  // The x axis of categories, in slots of equal width.
  void draw_categories(const std::vector<std::string>& names, const std::string& label);
  [[nodiscard]] double slot_width(std::size_t slots) const;
  [[nodiscard]] double slot_center(std::size_t slot, std::size_t slots) const;

  // Lines with labels, each where it covers the fewest of the `drawn` points; a
  // label that would hide data goes below the chart instead.
  void draw_references(const std::vector<ReferenceLine>& lines, const std::vector<Point>& drawn);

  // A remark below the chart.
  void draw_note(const std::string& text);

 private:
  void draw_y_axis(const std::string& label);
  void draw_x_label(const std::string& label);
  void draw_reference_key(const ReferenceLine& line);

  Svg& svg_;
  ChartSize size_;
  Axis y_axis_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double height_ = 0;
};

// How many labels the y axis of a chart takes.
[[nodiscard]] int most_y_labels(ChartSize size);

// How an axis is put into words: "iteration t, from 0 to 2000".
[[nodiscard]] std::string axis_in_words(const std::string& label, const Axis& axis);

}  // namespace sotto
