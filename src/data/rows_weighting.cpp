// Rows under Weighting::kBounded (data/row_weight.h): scaled by √w and put on the grid so that
// the bound on which the sensitivity stands holds in integers. Proof: docs/proofs/moments.md.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "data/row_weight.h"
#include "data/rows.h"

namespace sotto {
namespace weighted {
namespace {

#define SOTTO_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__)
#define SOTTO_AVX2 __attribute__((target("avx2")))
#else
#define SOTTO_AVX2
#endif

using Polynomial = RowWeightPolynomial;

// A row of the table has q ≤ 2w(2)/2 = 0.661 but for rounding (q below).
constexpr double kLargestQ = 0.7;

// As in rows.cpp: |v| < 2^51, halves to the even integer.
SOTTO_INLINE double nearest_integer(double v) {
  constexpr double kNoFraction = 6755399441055744.0;
  return (v + kNoFraction) - kNoFraction;
}

// ‖u‖² → √w·2^b.
SOTTO_INLINE void root_weights(const double* __restrict square, double inverse_radius_square,
                               double* __restrict root) {
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    const double x = square[r] * inverse_radius_square;
    root[r] = kGridOne / std::sqrt(std::sqrt(0.21 + x * (0.54 + 0.25 * x)));
  }
}

SOTTO_INLINE void add_squares(const double* __restrict u, double* __restrict square) {
  for (std::size_t r = 0; r < kGroupRows; ++r) square[r] += u[r] * u[r];
}

// g ← the integer nearest to u·√w·2^b; square += g², exactly.
SOTTO_INLINE void round_lane(double* __restrict g, const double* __restrict root,
                             double* __restrict square) {
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    g[r] = nearest_integer(g[r] * root[r]);
    square[r] += g[r] * g[r];
  }
}

// g₀, the largest integer, but for rounding, with
//
//     21γ² + 2·54·qγ + 100q² ≤ 100,   γ = g₀²/4^b,   q = ‖g‖²/(K·4^b),
//
// which is 0.21g₀⁴ + 0.54g₀²‖g‖²/R² + 0.25‖g‖⁴/R⁴ ≤ 16^b. Every step is off by 2^−53 at most, all
// together by less than 16 of those; 2^−48 taken off makes g₀ one that satisfies it. Returns how
// many rows have a q above kLargestQ: none.
SOTTO_INLINE std::uint64_t longest_intercepts(const double* __restrict square, double inverse_bound,
                                              double* __restrict intercept) {
  constexpr double kLinear = Polynomial::kLinear;
  constexpr double kRootSquare =
      Polynomial::kLinear * Polynomial::kLinear - 4 * Polynomial::kConstant * Polynomial::kSquare;
  constexpr double kRootConstant = 100 * Polynomial::kConstant;
  constexpr double kDown = 1 - 0x1p-48;
  static_assert(4 * Polynomial::kSquare == 100);
  std::uint64_t outside = 0;
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    const double q = square[r] * inverse_bound;
    const double gamma = 100 * ((1 - q) * (1 + q)) /
                         (kLinear * q + std::sqrt(kRootSquare * (q * q) + kRootConstant));
    const double root = std::sqrt(gamma) * (kGridOne * kDown);
    intercept[r] = nearest_integer(root - 0.5);  // exact, so never above the root
    outside += q > kLargestQ ? std::uint64_t{1} : std::uint64_t{0};
  }
  return outside;
}

// h ← the integer nearest to y·√w·2^b, no farther from 0 than g₀.
SOTTO_INLINE void round_target(double* __restrict h, const double* __restrict root,
                               const double* __restrict intercept) {
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    const double near = nearest_integer(h[r] * root[r]);
    const double raised = near < -intercept[r] ? -intercept[r] : near;
    h[r] = raised > intercept[r] ? intercept[r] : raised;
  }
}

struct Lanes {
  double* square;
  double* root;
  double* intercept;
};

// Columns first … last − 1 of `column(k)` are u and become g, the one at `last` is y and becomes h.
template <class Column>
SOTTO_INLINE std::uint64_t weigh(const Column& column, std::size_t first, std::size_t last,
                                 std::size_t feature_columns, Lanes lanes) {
  std::fill_n(lanes.square, kGroupRows, 0.0);
  for (std::size_t k = first; k < last; ++k) add_squares(column(k), lanes.square);
  root_weights(lanes.square, 1 / weighting_radius_square(feature_columns), lanes.root);
  std::fill_n(lanes.square, kGroupRows, 0.0);
  for (std::size_t k = first; k < last; ++k) round_lane(column(k), lanes.root, lanes.square);
  const double bound = 2 * weighting_radius_square(feature_columns) * kGridOne * kGridOne;
  const std::uint64_t outside = longest_intercepts(lanes.square, 1 / bound, lanes.intercept);
  round_target(column(last), lanes.root, lanes.intercept);
  return outside;
}

template <class Column>
SOTTO_AVX2 std::uint64_t weigh_avx2(const Column& column, std::size_t first, std::size_t last,
                                    std::size_t feature_columns, Lanes lanes) {
  return weigh(column, first, last, feature_columns, lanes);
}

#undef SOTTO_AVX2
#undef SOTTO_INLINE

}  // namespace
}  // namespace weighted

void RowEncoder::weigh_and_round() {
  const Schema& schema = encoding_.schema();
  const std::size_t first = schema.intercept ? 1 : 0;
  const auto column = [this](std::size_t k) { return grid_.column(k); };
  // Without an intercept g₀ is in no sum, and bounds h all the same.
  double* intercept = schema.intercept ? grid_.column(0) : intercept_.data();
  const weighted::Lanes lanes{lane_.data(), root_weight_.data(), intercept};
  const std::uint64_t outside =
      has_avx2_
          ? weighted::weigh_avx2(column, first, grid_.dimension(), schema.feature_columns(), lanes)
          : weighted::weigh(column, first, grid_.dimension(), schema.feature_columns(), lanes);
  check(outside == 0, "a row inside its bounds is not longer than all of them");
  clear_after_rows();
}

}  // namespace sotto
