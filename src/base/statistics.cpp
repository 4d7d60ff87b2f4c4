#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/check.h"

// Quantiles and boxes, from one sort of the samples; and the tail of F.
namespace sotto {
namespace {

// I_x(a, b), the regularised incomplete beta function, by Lentz's continued fraction, which
// converges fast for x below (a + 1)/(a + b + 2).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(1 - x, b, a);
  constexpr int kMostSteps = 10'000;
  constexpr double kTiny = 1e-300;
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int k = 1; k < kMostSteps; ++k) {
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (std::abs(step - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(log_front) * fraction / a;
}

}  // namespace

double f_tail(double f, double d1, double d2) {
  check(d1 > 0 && d2 > 0 && !std::isnan(f), "degrees of freedom are positive");
  if (f <= 0) return 1;
  return incomplete_beta(d2 / (d2 + d1 * f), d2 / 2, d1 / 2);
}

double quantile(std::span<const double> sorted, double q) {
  check(!sorted.empty(), "a quantile is taken of at least one number");
  check(q >= 0 && q <= 1, "a quantile's level lies in [0, 1]");
  const double h = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(h);
  const double share = h - static_cast<double>(below);
  if (share == 0) return sorted[below];
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

double quantile_of_any(std::span<double> numbers, double q) {
  check(!numbers.empty() && q >= 0 && q <= 1, "a quantile of at least one number");
  const double h = static_cast<double>(numbers.size() - 1) * q;
  const auto below = static_cast<std::ptrdiff_t>(h);
  const double share = h - static_cast<double>(below);
  std::ranges::nth_element(numbers, numbers.begin() + below);
  const double lower = numbers[static_cast<std::size_t>(below)];
  if (share == 0) return lower;
  return lower +
         share * (std::ranges::min(numbers.subspan(static_cast<std::size_t>(below) + 1)) - lower);
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
