// Elimination, and where that does not do the decomposition that SpectrumOfSums takes, over
// matrices that stand on the stack.
#include "solve/exact_answer.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "base/check.h"
#include "solve/noisy_sums.h"

namespace sotto {

// LDLᵀ without pivots: exchanging rows would cost more than it saves here, because what comes out
// wrong without them is seen in the residual, and goes by way of the spectrum.
bool solve::solve_by_elimination(std::span<const double> upper, std::span<const double> b,
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

bool exact_answer(std::span<const double> sums, std::size_t m, std::span<double> x) {
  constexpr int kMax = static_cast<int>(kMaxExactAnswer);
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMax, kMax>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMax, 1>;
  check(m >= 1 && m <= kMaxExactAnswer && sums.size() == m * (m + 3) / 2 && x.size() == m,
        "sums of few columns");
  const auto usable = [](double value) { return std::abs(value) <= kMaxSum; };  // not so for NaN
  if (!std::ranges::all_of(sums, usable)) return false;
  const std::span upper = sums.first(sums.size() - m);
  std::array<double, kMaxExactAnswer> right;
  std::ranges::transform(sums.last(m), right.begin(), std::negate{});
  std::array<double, kMaxExactAnswer> found;
  if (solve::solve_by_elimination(upper, std::span(right).first(m), std::span(found).first(m))) {
    std::copy_n(found.begin(), m, x.begin());
    return true;
  }
  const auto size = static_cast<Eigen::Index>(m);
  Matrix a(size, size);
  const Vector b = Eigen::Map<const Vector>(right.data(), size);
  auto next = upper.begin();
  for (Eigen::Index r = 0; r < size; ++r) {
    for (Eigen::Index c = r; c < size; ++c) a(r, c) = a(c, r) = *next++;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(a);
  check(spectrum.info() == Eigen::Success, "a finite symmetric matrix has a spectrum");
  const auto& values = spectrum.eigenvalues();
  // minimum_norm() of noisy_sums.cpp.
  const double zero = static_cast<double>(m) * std::numeric_limits<double>::epsilon() *
                      values.cwiseAbs().maxCoeff();
  Vector coordinates = spectrum.eigenvectors().transpose() * b;
  for (Eigen::Index i = 0; i < size; ++i) {
    const double quotient = coordinates(i) / values(i);
    const bool kept = std::abs(values(i)) > zero && std::isfinite(quotient);
    coordinates(i) = kept ? quotient : 0;
  }
  const Vector theta = spectrum.eigenvectors() * coordinates;
  std::ranges::copy(theta, x.begin());
  return true;
}

}  // namespace sotto
