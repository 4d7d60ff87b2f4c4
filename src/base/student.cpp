#include "base/student.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "base/statistics.h"

// T² has the law F on 1 and `freedom` degrees of freedom.
namespace sotto {

double t_tail(double t, double freedom) {
  check(freedom > 0 && !std::isnan(t), "degrees of freedom are positive");
  if (std::isinf(t)) return 0;
  // Beyond this F's own series loses digits, and t is this normal z to 1/freedom² (Abramowitz and
  // Stegun 26.7.8).
  constexpr double kMany = 1e6;
  if (freedom < kMany) return f_tail(t * t, 1, freedom);
  const double z = t * (1 - 1 / (4 * freedom)) / std::sqrt(1 + t * t / (2 * freedom));
  return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

double t_reach(double level, double freedom) {
  check(level >= 0 && level < 1, "an interval's level lies in [0, 1)");
  const double tail = 1 - level;
  double low = 0;
  double high = 1;
  while (t_tail(high, freedom) > tail && high < std::numeric_limits<double>::max() / 4) {
    low = high;
    high *= 2;
  }
  // Bisection: the tail falls from 1 to 0, and this is done once per interval's level.
  for (int k = 0; k < 200 && high - low > 1e-14 * high; ++k) {
    const double middle = low + (high - low) / 2;
    (t_tail(middle, freedom) > tail ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace sotto
