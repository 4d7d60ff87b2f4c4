#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/chart.h"

namespace sotto {

// Dots and whiskers: one row per coefficient, its interval across, a line at zero.
struct CoefficientChart {
  struct Row {
    std::string name{};
    double value = 0;                                     // the model's
    std::optional<std::pair<double, double>> interval{};  // low ≤ high
    std::optional<double> center{};  // what the interval is about; none: the value
    bool apart = false;              // on an axis of its own: an intercept
  };
  std::string title{};
  std::string x{};
  std::vector<Row> rows{};
  std::string note{};  // below the chart: why there are no intervals, say
};

// More rows are thinned out to those with the clearest signal; the chart says so.
inline constexpr std::size_t kMostCoefficients = 60;

// Coefficients whose sizes differ by more than this factor get axes of their own:
// on one axis, the small ones would all look like zero.
inline constexpr double kWidestPanel = 12;
inline constexpr std::size_t kMostPanels = 4;

[[nodiscard]] std::string standalone_svg(const CoefficientChart& chart);
[[nodiscard]] InlineSvg inline_svg(const CoefficientChart& chart);

// `value` with as many digits as its uncertainty leaves meaning: two of `spread`'s.
// Without a spread (0), four significant ones.
[[nodiscard]] std::string value_text(double value, double spread);

}  // namespace sotto
