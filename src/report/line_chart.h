#pragma once

#include <string>
#include <vector>

#include "report/axis.h"
#include "report/chart.h"

namespace sotto {

// A shaded band around a series, on the same x: quartiles over trials, say.
struct Band {
  std::string name{};
  std::vector<double> low{};
  std::vector<double> high{};
};

struct LineSeries {
  std::string name{};
  std::vector<double> x{};
  std::vector<double> y{};
  Band band{};  // empty, or as long as x
};

// Points that the axes cannot show (NaN, infinite, not positive on a logarithmic
// axis) leave a gap and are counted below the chart.
struct LineChart {
  ChartLabels labels{};
  Scale x_scale = Scale::kLinear;
  Scale y_scale = Scale::kLinear;
  std::vector<LineSeries> series{};
  std::vector<ReferenceLine> references{};
};

// A file of its own: fixed colours, white background.
[[nodiscard]] std::string standalone_svg(const LineChart& chart);

// For HtmlPage: colours from the page's CSS variables.
[[nodiscard]] InlineSvg inline_svg(const LineChart& chart);

}  // namespace sotto
