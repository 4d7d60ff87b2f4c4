#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "report/frame.h"
#include "report/text.h"

// Round numbers for the ends and ticks of an axis.
namespace sotto::report {
namespace {

constexpr double kMostDrawable = 1e100;

// Numbers nearer to each other than this, relative to their size, count as
// equal: ticks between them would need more digits than anyone can read.
constexpr double kSameRelative = 1e-9;

struct Step {
  int mantissa = 1;
  int exponent = 0;
  [[nodiscard]] double value() const { return mantissa * std::pow(10.0, exponent); }
};

// Within a bit or so of the next power of ten counts as that power.
int exponent_of(double value) {
  return static_cast<int>(std::floor(std::log10(value) + 1e-12));
}

// The smallest of {1, 2, 5}·10^k that is not below `raw` > 0.
Step round_up(double raw) {
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent_of(raw)};
    if (step.value() >= raw * (1 - 1e-12)) return step;
  }
  return {1, exponent_of(raw) + 1};
}

// The largest that is not above it.
Step round_down(double raw) {
  for (const int mantissa : {5, 2}) {
    const Step step{mantissa, exponent_of(raw)};
    if (step.value() <= raw * (1 + 1e-12)) return step;
  }
  return {1, exponent_of(raw)};
}

std::string linear_label(double index, Step step, double largest) {
  if (index == 0) return "0";
  if (step.exponent >= -4 && largest < 1e6) {
    return with_minus_sign(
        fmt::format("{:.{}f}", index * step.value(), std::max(0, -step.exponent)));
  }
  // One power of ten for all labels, so that they can be compared at a glance.
  const int exponent = exponent_of(largest);
  const int digits = std::max(0, exponent - step.exponent);
  return scientific(fmt::format("{:.{}f}", index * step.mantissa * std::pow(10.0, -digits), digits),
                    exponent);
}

Axis linear_axis(double low, double high, int most_labels) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= kSameRelative * size || size < 1 / kMostDrawable) {
    const double half = size < 1 / kMostDrawable ? 1 : size / 2;
    low -= half;
    high += half;
  }
  const Step step = round_up((high - low) / most_labels);
  // Index 0.999999 of a step is 1 whose last bit was lost.
  const double first = std::floor(low / step.value() + 1e-9);
  const double last = std::ceil(high / step.value() - 1e-9);
  Axis axis{.low = first * step.value(), .high = last * step.value()};
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  for (double index = first; index <= last; ++index) {
    axis.ticks.push_back({index * step.value(), linear_label(index, step, largest)});
  }
  return axis;
}

// Which multiples of a power of ten carry a label: only 1 over many decades.
std::vector<int> labelled_mantissas(double decades, int most_labels) {
  if (decades * 3 <= most_labels) return {1, 2, 5};
  if (decades * 2 <= most_labels && decades <= 2) return {1, 3};
  return {1};
}

Axis log_axis(double low, double high, int most_labels) {
  if (high <= low * (1 + kSameRelative)) {
    low /= 2;
    high *= 2;
  }
  // A twentieth lower, so that no line runs along the foot of the chart.
  Axis axis{Scale::kLog10, round_down(low / 1.05).value(), round_up(high).value()};
  const double decades = std::log10(axis.high) - std::log10(axis.low);
  const std::vector<int> labelled = labelled_mantissas(decades, most_labels);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most_labels)));
  const bool plain = axis.low >= 0.01 && axis.high <= 10000;
  for (int exponent = exponent_of(axis.low); exponent <= exponent_of(axis.high); ++exponent) {
    for (int mantissa = 1; mantissa <= 9; ++mantissa) {
      const double value = Step{mantissa, exponent}.value();
      if (value < axis.low || value > axis.high) continue;
      const bool major =
          exponent % every == 0 && std::ranges::find(labelled, mantissa) != labelled.end();
      if (!major && mantissa > 1 && decades > 6) continue;
      const std::string label =
          plain ? fmt::format("{:g}", value) : scientific(fmt::format("{}", mantissa), exponent);
      axis.ticks.push_back({value, major ? label : ""});
    }
  }
  return axis;
}

}  // namespace

bool drawable(double value, Scale scale) {
  if (scale == Scale::kLog10 && !(value >= 1 / kMostDrawable)) return false;
  return std::abs(value) <= kMostDrawable;
}

double Axis::fraction(double value) const {
  if (scale == Scale::kLinear) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

std::string Axis::in_words(const std::string& label) const {
  return fmt::format("{}{}, from {:.4g} to {:.4g}", label,
                     scale == Scale::kLog10 ? " (logarithmic)" : "", low, high);
}

Axis fit_axis(std::span<const double> values, Scale scale, int most_labels) {
  check(most_labels >= 2, "an axis has at least two labels");
  const bool linear = scale == Scale::kLinear;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!drawable(value, scale)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) {
    low = linear ? 0 : 0.11;
    high = 1;
  }
  return linear ? linear_axis(low, high, most_labels) : log_axis(low, high, most_labels);
}

}  // namespace sotto::report
