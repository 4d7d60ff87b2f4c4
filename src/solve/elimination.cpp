// LDLᵀ without pivots: exchanging rows would cost more than it saves here, because what comes out
// wrong without them is seen in the residual, and goes by way of the spectrum.
#include "solve/elimination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace sotto::solve {

bool solve_by_elimination(std::span<const double> upper, std::span<const double> b,
                          std::span<double> x) {
  const std::size_t m = b.size();
  check(m >= 1 && m <= kMaxElimination && x.size() == m && upper.size() == m * (m + 1) / 2,
        "a system of few columns");
  constexpr double kNearSingular = 0x1p-40;
  std::array<double, kMaxElimination * kMaxElimination> rest;  // A, and what is left of it
  std::array<double, kMaxElimination> right;                   // b, and what is left of it
  double largest = 0;
  for (std::size_t r = 0, at = 0; r < m; ++r) {
    right[r] = b[r];
    for (std::size_t c = r; c < m; ++c, ++at) {
      rest[r * kMaxElimination + c] = upper[at];
      largest = std::max(largest, std::abs(upper[at]));
    }
  }
  const double most = static_cast<double>(m) * largest;  // ≥ |λ|_max
  double volume = 1;                                     // |det A|/mostᵐ
  for (std::size_t k = 0; k < m; ++k) {
    const double* row = &rest[k * kMaxElimination];
    volume *= std::abs(row[k]) / most;
    if (!(volume >= kNearSingular)) return false;  // NaN too
    for (std::size_t r = k + 1; r < m; ++r) {
      const double factor = row[r] / row[k];
      right[r] -= factor * right[k];
      for (std::size_t c = r; c < m; ++c) rest[r * kMaxElimination + c] -= factor * row[c];
    }
  }
  double longest = 0;
  for (std::size_t r = m; r-- > 0;) {
    double value = right[r];
    for (std::size_t c = r + 1; c < m; ++c) value -= rest[r * kMaxElimination + c] * x[c];
    x[r] = value / rest[r * kMaxElimination + r];
    longest = std::max(longest, std::abs(x[r]));
  }
  // |Ax − b| of every row, against what rounding alone leaves.
  std::array<double, kMaxElimination> residual;
  double right_size = 0;
  for (std::size_t r = 0; r < m; ++r) {
    residual[r] = -b[r];
    right_size = std::max(right_size, std::abs(b[r]));
  }
  for (std::size_t r = 0, at = 0; r < m; ++r) {
    residual[r] += upper[at++] * x[r];
    for (std::size_t c = r + 1; c < m; ++c, ++at) {
      residual[r] += upper[at] * x[c];
      residual[c] += upper[at] * x[r];
    }
  }
  const double rounding = 4 * static_cast<double>(m) * std::numeric_limits<double>::epsilon() *
                          (most * longest + right_size);
  return std::ranges::all_of(std::span(residual).first(m),
                             [&](double left) { return std::abs(left) <= rounding; });
}

}  // namespace sotto::solve
