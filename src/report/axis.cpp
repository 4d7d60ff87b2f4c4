#include "report/axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/check.h"

namespace sotto {
namespace {

constexpr const char* kMinus = "−";

// Numbers nearer to each other than this, relative to their size, count as
// equal: ticks between them would need more digits than anyone can read.
constexpr double kSameRelative = 1e-9;

// Steps between smaller numbers would leave the range of doubles.
constexpr double kNothing = 1e-300;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::size_t skipped = 0;
  [[nodiscard]] bool empty() const { return low > high; }
};

Range range_of(std::span<const double> values, Scale scale) {
  Range range;
  for (const double value : values) {
    if (!drawable(value, scale)) {
      ++range.skipped;
      continue;
    }
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

// mantissa·10^exponent, rounded once. A power of ten below the normal range would
// not be exact, so the number is read as decimal text. Overflows to infinity.
double decimal(double mantissa, int exponent) {
  return std::strtod(fmt::format("{:.0f}e{}", mantissa, std::max(exponent, -307)).c_str(), nullptr);
}

// The smallest of {1, 2, 5}·10^k that is not below `raw` > 0.
struct Step {
  int mantissa = 1;
  int exponent = 0;
  [[nodiscard]] double value() const { return decimal(mantissa, exponent); }
};

Step round_step(double raw) {
  Step step{1, static_cast<int>(std::floor(std::log10(raw)))};
  const double tolerant = raw * (1 - 1e-12);
  for (const int mantissa : {1, 2, 5}) {
    step.mantissa = mantissa;
    if (step.value() >= tolerant) return step;
  }
  return {1, step.exponent + 1};
}

std::string with_minus_sign(const std::string& text) {
  return text.starts_with('-') ? kMinus + text.substr(1) : text;
}

std::string scientific(std::string mantissa, int exponent) {
  mantissa = with_minus_sign(mantissa);
  if (mantissa == "1") return "10" + superscript(exponent);
  return mantissa + "×10" + superscript(exponent);
}

std::string linear_label(double index, Step step, double largest) {
  if (index == 0) return "0";
  if (step.exponent >= -4 && largest < 1e6) {
    const double value = decimal(index * step.mantissa, step.exponent);
    return with_minus_sign(fmt::format("{:.{}f}", value, std::max(0, -step.exponent)));
  }
  // One power of ten for all labels, so that they can be compared at a glance.
  const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-12));
  const int digits = std::max(0, exponent - step.exponent);
  return scientific(fmt::format("{:.{}f}", index * step.mantissa * std::pow(10.0, -digits), digits),
                    exponent);
}

Axis linear_axis(Range range, int most_labels) {
  if (range.empty()) {
    range.low = 0;
    range.high = 1;
  }
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high / 2 - range.low / 2 <= std::max(kSameRelative * size, kNothing) / 2) {
    const double half = size < kNothing ? 1 : size / 2;
    range.low -= half;
    range.high += half;
  }
  const Step step = round_step(range.high / most_labels - range.low / most_labels);
  // Index 0.999999 of a step is 1 whose last bit was lost.
  const double first = std::floor(range.low / step.value() + 1e-9);
  const double last = std::ceil(range.high / step.value() - 1e-9);

  Axis axis{.scale = Scale::kLinear, .low = 0, .high = 1, .ticks = {}, .skipped = range.skipped};
  constexpr double kLargest = std::numeric_limits<double>::max();
  axis.low = std::max(first * step.value(), -kLargest);
  axis.high = std::min(last * step.value(), kLargest);
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  for (double index = first; index <= last; ++index) {
    const double value = std::clamp(index * step.value(), axis.low, axis.high);
    axis.ticks.push_back({value, linear_label(index, step, largest)});
  }
  return axis;
}

// The nearest of {1, 2, 5}·10^k at or beyond `value`, downwards or upwards.
double round_outwards(double value, bool up) {
  const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-12));
  double best = decimal(1, exponent);
  for (const double mantissa : {1.0, 2.0, 5.0}) {
    const double candidate = decimal(mantissa, exponent);
    if (up && candidate >= value * (1 - 1e-12)) {
      return std::min(candidate, std::numeric_limits<double>::max());
    }
    if (!up && candidate <= value * (1 + 1e-12)) best = candidate;
  }
  if (!up) return best;
  return exponent < 308 ? decimal(1, exponent + 1) : std::numeric_limits<double>::max();
}

std::string log_label(double mantissa, int exponent, bool plain) {
  if (plain) return fmt::format("{}", decimal(mantissa, exponent));
  return scientific(fmt::format("{:.0f}", mantissa), exponent);
}

// Which multiples of a power of ten carry a label: only 1 over many decades.
std::vector<double> labelled_mantissas(double decades, int most_labels) {
  if (decades * 3 <= most_labels) return {1, 2, 5};
  if (decades * 2 <= most_labels && decades <= 2) return {1, 3};
  return {1};
}

Axis log_axis(Range range, int most_labels) {
  Axis axis{.scale = Scale::kLog10, .low = 0.1, .high = 1, .ticks = {}, .skipped = range.skipped};
  if (!range.empty()) {
    range.low = std::max(range.low, kNothing);
    range.high = std::max(range.high, kNothing);
    if (range.high <= range.low * (1 + kSameRelative)) {
      range.low /= 2;
      range.high = std::min(range.high, std::numeric_limits<double>::max() / 2) * 2;
    }
    // A twentieth lower, so that no line runs along the foot of the chart.
    axis.low = round_outwards(range.low / 1.05, false);
    axis.high = round_outwards(range.high, true);
  }
  const double decades = std::log10(axis.high) - std::log10(axis.low);
  const std::vector<double> labelled = labelled_mantissas(decades, most_labels);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most_labels)));
  const bool plain = axis.low >= 0.01 && axis.high <= 10000;
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-12));
  const int last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-12));

  for (int exponent = first; exponent <= last; ++exponent) {
    for (int mantissa = 1; mantissa <= 9; ++mantissa) {
      const double value = decimal(mantissa, exponent);
      if (value < axis.low || value > axis.high) continue;
      const bool major =
          exponent % every == 0 && std::ranges::find(labelled, double(mantissa)) != labelled.end();
      if (!major && mantissa > 1 && decades > 6) continue;
      axis.ticks.push_back({value, major ? log_label(mantissa, exponent, plain) : ""});
    }
  }
  return axis;
}

}  // namespace

bool drawable(double value, Scale scale) {
  return std::isfinite(value) && (scale == Scale::kLinear || value > 0);
}

double Axis::fraction(double value) const {
  if (scale == Scale::kLog10) {
    return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  }
  // Halved, because high − low may overflow.
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

Axis fit_axis(std::span<const double> values, Scale scale, int most_labels) {
  check(most_labels >= 2, "an axis has at least two labels");
  const Range range = range_of(values, scale);
  return scale == Scale::kLinear ? linear_axis(range, most_labels) : log_axis(range, most_labels);
}

std::string superscript(int number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::format("{}", number)) text += c == '-' ? "⁻" : kDigits[c - '0'];
  return text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 9999.5) return with_minus_sign(fmt::format("{:.4g}", value));
  if (size < 1e6 && value == std::round(value)) return with_minus_sign(fmt::format("{}", value));
  // {:.3e} and not a logarithm: only it knows whether 9.9996 rounds to ten.
  const std::string text = fmt::format("{:.3e}", value);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.ends_with('.')) mantissa.pop_back();
  return scientific(mantissa, std::stoi(text.substr(e + 1)));
}

}  // namespace sotto
