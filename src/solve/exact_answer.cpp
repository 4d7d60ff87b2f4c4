// Elimination, of eight systems side by side, and where that does not do the decomposition that
// SpectrumOfSums takes, over matrices that stand on the stack.
#include "solve/exact_answer.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "base/check.h"
#include "base/machine/vectorised.h"
#include "solve/noisy_sums.h"

namespace sotto {

namespace answers {

// A number of each of eight systems.
constexpr std::size_t kLanes = 8;
using Lanes = double __attribute__((vector_size(64)));
using Mask = std::int64_t __attribute__((vector_size(64)));  // −1 where something holds

struct Systems {
  std::array<Lanes, kMaxExactAnswer*(kMaxExactAnswer + 1) / 2> upper;
  std::array<Lanes, kMaxExactAnswer> b;
  std::array<Lanes, kMaxExactAnswer> x;
  Mask solved;  // what solve_by_elimination() returns
  Mask sure;    // solved, and no number is above kMaxSum
};

// No calls in here but to builtins: they would not be compiled for the vector units.
#define SOTTO_ABS(v) __builtin_bit_cast(Lanes, __builtin_bit_cast(Mask, v) & 0x7fffffffffffffff)

// LDLᵀ without pivots: exchanging rows would cost more than it saves here, because what comes out
// wrong without them is seen in the residual, and goes by way of the spectrum.
SOTTO_VECTORISED void eliminate(std::size_t m, Systems& systems) {
  constexpr double kNearSingular = 0x1p-40;
  constexpr std::size_t kMax = kMaxExactAnswer;
  const Lanes* upper = systems.upper.data();
  const Lanes* b = systems.b.data();
  Lanes* x = systems.x.data();
  Lanes rest[kMax * kMax];  // A, and what is left of it
  Lanes right[kMax];        // b, and what is left of it
  Lanes largest{};
  for (std::size_t r = 0, at = 0; r < m; ++r) {
    right[r] = b[r];
    for (std::size_t c = r; c < m; ++c, ++at) {
      rest[r * kMax + c] = upper[at];
      const Lanes size = SOTTO_ABS(upper[at]);
      largest = largest < size ? size : largest;
    }
  }
  const Lanes most = static_cast<double>(m) * largest;  // ≥ |λ|_max
  Lanes volume = Lanes{} + 1;                           // |det A|/mostᵐ
  Mask solved = Mask{} - 1;
  for (std::size_t k = 0; k < m; ++k) {
    const Lanes* row = &rest[k * kMax];
    volume *= SOTTO_ABS(row[k]) / most;
    solved &= volume >= kNearSingular;  // not so for NaN
    for (std::size_t r = k + 1; r < m; ++r) {
      const Lanes factor = row[r] / row[k];
      right[r] -= factor * right[k];
      for (std::size_t c = r; c < m; ++c) rest[r * kMax + c] -= factor * row[c];
    }
  }
  Lanes longest{};
  for (std::size_t r = m; r-- > 0;) {
    Lanes value = right[r];
    for (std::size_t c = r + 1; c < m; ++c) value -= rest[r * kMax + c] * x[c];
    x[r] = value / rest[r * kMax + r];
    const Lanes size = SOTTO_ABS(x[r]);
    longest = longest < size ? size : longest;
  }
  // |Ax − b| of every row, against what rounding alone leaves.
  Lanes residual[kMax];
  Lanes right_size{};
  for (std::size_t r = 0; r < m; ++r) {
    residual[r] = -b[r];
    const Lanes size = SOTTO_ABS(b[r]);
    right_size = right_size < size ? size : right_size;
  }
  for (std::size_t r = 0, at = 0; r < m; ++r) {
    residual[r] += upper[at++] * x[r];
    for (std::size_t c = r + 1; c < m; ++c, ++at) {
      residual[r] += upper[at] * x[c];
      residual[c] += upper[at] * x[r];
    }
  }
  const Lanes rounding = 4 * static_cast<double>(m) * std::numeric_limits<double>::epsilon() *
                         (most * longest + right_size);
  for (std::size_t r = 0; r < m; ++r) solved &= SOTTO_ABS(residual[r]) <= rounding;
  systems.solved = solved;
  // NaN is never solved.
  systems.sure = solved & (largest <= kMaxSum) & (right_size <= kMaxSum);
}
#undef SOTTO_ABS

// By way of the spectrum: exact_answer() where elimination does not do.
void from_spectrum(std::span<const double> upper, std::span<const double> right,
                   std::span<double> x) {
  constexpr int kMax = static_cast<int>(kMaxExactAnswer);
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMax, kMax>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMax, 1>;
  const auto size = static_cast<Eigen::Index>(right.size());
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
  const double zero = static_cast<double>(size) * std::numeric_limits<double>::epsilon() *
                      values.cwiseAbs().maxCoeff();
  Vector coordinates = spectrum.eigenvectors().transpose() * b;
  for (Eigen::Index i = 0; i < size; ++i) {
    const double quotient = coordinates(i) / values(i);
    const bool kept = std::abs(values(i)) > zero && std::isfinite(quotient);
    coordinates(i) = kept ? quotient : 0;
  }
  const Vector theta = spectrum.eigenvectors() * coordinates;
  std::ranges::copy(theta, x.begin());
}

}  // namespace answers

bool solve::solve_by_elimination(std::span<const double> upper, std::span<const double> b,
                                 std::span<double> x) {
  const std::size_t m = b.size();
  check(m >= 1 && m <= kMaxElimination && x.size() == m && upper.size() == m * (m + 1) / 2,
        "a system of few columns");
  answers::Systems systems;
  for (std::size_t at = 0; at < upper.size(); ++at) {
    systems.upper[at] = answers::Lanes{} + upper[at];
  }
  for (std::size_t r = 0; r < m; ++r) systems.b[r] = answers::Lanes{} + b[r];
  answers::eliminate(m, systems);
  for (std::size_t r = 0; r < m; ++r) x[r] = systems.x[r][0];
  return systems.solved[0] != 0;
}

void exact_answers(std::span<const double> sums, std::size_t m, std::span<double> x,
                   std::span<char> solved) {
  const std::size_t entries = m * (m + 3) / 2;
  check(m >= 1 && m <= kMaxExactAnswer && sums.size() == solved.size() * entries &&
            x.size() == solved.size() * m,
        "sums of few columns");
  const auto usable = [](double value) { return std::abs(value) <= kMaxSum; };  // not so for NaN
  answers::Systems systems;
  for (std::size_t first = 0; first < solved.size(); first += answers::kLanes) {
    // Where there are fewer than eight, the last one's fill the lanes.
    const std::size_t lanes = std::min(answers::kLanes, solved.size() - first);
    for (std::size_t l = 0; l < answers::kLanes; ++l) {
      const double* sum = &sums[(first + std::min(l, lanes - 1)) * entries];
      for (std::size_t at = 0; at < entries - m; ++at) systems.upper[at][l] = sum[at];
      for (std::size_t r = 0; r < m; ++r) systems.b[r][l] = -sum[entries - m + r];
    }
    answers::eliminate(m, systems);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto sum = sums.subspan((first + l) * entries, entries);
      const auto answer = x.subspan((first + l) * m, m);
      solved[first + l] = systems.sure[l] != 0 || std::ranges::all_of(sum, usable) ? 1 : 0;
      if (systems.sure[l] != 0) {
        for (std::size_t r = 0; r < m; ++r) answer[r] = systems.x[r][l];
      }
      if (systems.sure[l] != 0 || solved[first + l] == 0) continue;
      std::array<double, kMaxExactAnswer> right;
      std::ranges::transform(sum.last(m), right.begin(), std::negate{});
      answers::from_spectrum(sum.first(entries - m), std::span(right).first(m), answer);
    }
  }
}

bool exact_answer(std::span<const double> sums, std::size_t m, std::span<double> x) {
  char solved = 0;
  exact_answers(sums, m, x, {&solved, 1});
  return solved != 0;
}

}  // namespace sotto
