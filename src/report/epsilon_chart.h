#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

namespace sotto {

// How much each observer may learn: one row per observer, its ε across, a line at
// the ε that was asked for. On a logarithmic axis where sizes differ much.
struct EpsilonChart {
  struct Row {
    std::string name{};
    double epsilon = 0;  // infinity: no ε will do
  };
  std::string title{};
  std::string x{};
  double asked = 0;
  std::vector<Row> rows{};
};

// ε may exceed what was asked for by this much before it counts as more: rounding.
inline constexpr double kEpsilonSlack = 1e-6;

[[nodiscard]] std::string standalone_svg(const EpsilonChart& chart);
[[nodiscard]] InlineSvg inline_svg(const EpsilonChart& chart);

}  // namespace sotto
