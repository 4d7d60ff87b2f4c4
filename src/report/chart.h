#pragma once

#include <string>

namespace sotto {

struct ChartLabels {
  std::string title{};
  std::string x{};
  std::string y{};
};

// A horizontal line with a label, such as a bound from theory.
struct ReferenceLine {
  std::string label{};
  double y = 0;
};

// One chart drawn twice for an HTML page, which shows the one that fits the
// screen: text in a drawing that is scaled down to a telephone cannot be read.
struct InlineSvg {
  std::string wide;
  std::string narrow;
};

// The height of a drawing follows from what stands above and below the plot.
struct ChartSize {
  double width = 0;
  double plot_height = 0;
};
inline constexpr ChartSize kWideChart{720, 300};
inline constexpr ChartSize kNarrowChart{360, 260};

}  // namespace sotto
