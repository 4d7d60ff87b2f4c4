#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sotto {

enum class Scale { kLinear, kLog10 };

// An axis can show a value that is finite and, on a logarithmic axis, positive.
[[nodiscard]] bool drawable(double value, Scale scale);

struct Tick {
  double value = 0;
  std::string label;  // empty for a minor tick
};

// A range that starts and ends on round numbers. Invariant: low < high, both
// drawable; every tick lies between them, in rising order.
struct Axis {
  Scale scale = Scale::kLinear;
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;
  std::size_t skipped = 0;  // values it was fitted to and cannot show

  // Where a value lies: 0 at `low`, 1 at `high`, linear in the value or in its logarithm.
  [[nodiscard]] double fraction(double value) const;
};

// The axis that holds every drawable value, with about `most_labels` labels
// (at least 2). Round steps are 1, 2 or 5 times a power of ten. Values that are
// all equal stand in the middle; without any value the axis is [0, 1], or
// [0.1, 1] if it is logarithmic.
[[nodiscard]] Axis fit_axis(std::span<const double> values, Scale scale, int most_labels);

// −3 as ⁻³.
[[nodiscard]] std::string superscript(int number);

// A number for a person: at most four significant digits, 1.234×10⁻⁵ where
// plain digits would hide the size.
[[nodiscard]] std::string number_text(double value);

}  // namespace sotto
