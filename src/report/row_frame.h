#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/axis.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/svg.h"

namespace sotto {

struct RowLabel {
  std::string name;   // on the left; above its row on a telephone
  std::string value;  // on the right
};

// A line across all rows of a panel, at a value.
struct RowLine {
  double value = 0;
  std::string kind;
  std::string dashes{};
};

// What a chart of named rows has around its data. Rows stand in panels, each with
// an axis of its own at its foot; draws from top to bottom and so finds its height.
class RowFrame {
 public:
  RowFrame(Svg& svg, ChartSize size, const std::string& title,
           const std::vector<LegendEntry>& legend);

  // A new panel below what is there: grid, lines, names, values, axis. The axis
  // holds all of `values`.
  void draw_panel(const std::vector<RowLabel>& rows, std::span<const double> values, Scale scale,
                  const std::string& label, const std::vector<RowLine>& lines);

  // The columns of names and values are as wide as these rows need; for all panels.
  void fit_columns(std::span<const RowLabel> rows);

  // Places in the panel drawn last.
  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(std::size_t row) const;
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }

  // A remark below the chart.
  void draw_note(const std::string& text);

  // The hover area of a row, with its tooltip. Closed by svg.close("g").
  void open_row(std::size_t row, const std::string& tooltip);

  [[nodiscard]] double height() const { return height_; }

 private:
  [[nodiscard]] bool stacked() const { return size_.width < kWideChart.width; }
  [[nodiscard]] double row_height() const;
  void draw_axis(const std::string& label);
  void draw_line(const RowLine& line);
  void draw_labels(const std::vector<RowLabel>& rows);

  Svg& svg_;
  ChartSize size_;
  Axis axis_;
  double left_ = 0;
  double right_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  double height_ = 0;
  double value_width_ = 0;
};

}  // namespace sotto
