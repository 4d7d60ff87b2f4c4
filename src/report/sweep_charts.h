#pragma once

#include <optional>
#include <span>

#include "report/chart.h"
#include "run/lab/sweep.h"

// A sweep over the numbers of one key as pictures, one line for each solver; nothing where that is
// not what was swept: no key or several with more than one value, or values that are no positive
// numbers.
namespace sotto {

// The squared error: medians, with quartiles around them.
[[nodiscard]] std::optional<LineChart> error_chart(std::span<const SweepPoint> points);

// The standard deviation of the noise on the sum.
[[nodiscard]] std::optional<LineChart> noise_chart(std::span<const SweepPoint> points);

}  // namespace sotto
