#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/check.h"

// Quantiles and boxes, from one sort of the samples.
namespace sotto {

double quantile(std::span<const double> sorted, double q) {
  check(!sorted.empty(), "a quantile is taken of at least one number");
  check(q >= 0 && q <= 1, "a quantile's level lies in [0, 1]");
  const double h = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(h);
  const double share = h - static_cast<double>(below);
  if (share == 0) return sorted[below];
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

BoxStatistics box_statistics(std::span<const double> samples) {
  std::vector<double> sorted;
  std::ranges::copy_if(samples, std::back_inserter(sorted),
                       [](double x) { return std::isfinite(x); });
  std::ranges::sort(sorted);

  BoxStatistics box;
  box.count = sorted.size();
  box.skipped = samples.size() - sorted.size();
  if (sorted.empty()) {
    box.low = box.q25 = box.median = box.q75 = box.high = std::numeric_limits<double>::quiet_NaN();
    return box;
  }
  box.q25 = quantile(sorted, 0.25);
  box.median = quantile(sorted, 0.5);
  box.q75 = quantile(sorted, 0.75);
  const double reach = 1.5 * (box.q75 - box.q25);
  const auto first = std::ranges::lower_bound(sorted, box.q25 - reach);
  const auto last = std::ranges::upper_bound(sorted, box.q75 + reach);
  box.outliers.assign(sorted.begin(), first);
  box.outliers.insert(box.outliers.end(), last, sorted.end());
  // Of few samples, the furthest within reach can lie inside the box.
  box.low = std::min(*first, box.q25);
  box.high = std::max(*std::prev(last), box.q75);
  return box;
}

}  // namespace sotto
