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
