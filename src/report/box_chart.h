#pragma once

#include <string>
#include <vector>

#include "report/axis.h"
#include "report/box_statistics.h"
#include "report/chart.h"

namespace sotto {

struct BoxSeries {
  std::string name{};
  std::vector<std::vector<double>> samples{};  // one set per group; a set may be empty
};

// Groups side by side (values of ε, numbers of parties), in each group one box per series
// (a solver). Boxes describe the finite samples; how many were not finite is
// said below the chart. On a logarithmic axis a box still has the quartiles and
// whiskers of the plain numbers; what is not positive is drawn at the axis's foot.
struct BoxChart {
  ChartLabels labels{};
  std::vector<std::string> groups{};
  std::vector<BoxSeries> series{};
  Scale y_scale = Scale::kLinear;
  std::vector<ReferenceLine> references{};
};

// A file of its own: fixed colours, white background.
[[nodiscard]] std::string standalone_svg(const BoxChart& chart);

// For HtmlPage: colours from the page's CSS variables.
[[nodiscard]] InlineSvg inline_svg(const BoxChart& chart);

}  // namespace sotto
