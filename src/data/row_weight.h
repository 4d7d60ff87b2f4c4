#pragma once

#include <cmath>
#include <cstddef>

// How much a row counts with Weighting::kBounded. With u ∈ [−1, 1]^d a row's features (no
// intercept), K numeric and categorical columns, so ‖u‖² ≤ K, and R² = K/2,
//
//     x = ‖u‖²/R²,   w(x) = (0.21 + 0.54x + 0.25x²)^(−1/2),
//
// the whole row (1, u, y) is multiplied by √w. The three numbers are sums of the shares that the
// kinds of sums have in Δ² (moments/sensitivity.h), and that is why Δ = 1. A weight depends on u
// alone, so a truly linear model is estimated without bias; where the truth is not linear, the best
// fit of weighted rows is another than that of all rows alike. Proof:
// docs/proofs/record_sensitivity.md.
namespace sotto {

// In hundredths: 21 + 54x + 25x².
struct RowWeightPolynomial {
  static constexpr int kConstant = 21;
  static constexpr int kLinear = 54;
  static constexpr int kSquare = 25;
};

// w(0): no row counts more.
inline constexpr double kMaxRowWeight = 2.182178902359925;  // 0.21^(−1/2), rounded up

// R² of K columns; 1/2 where there is none, and then x = 0 in every row.
[[nodiscard]] inline double weighting_radius_square(std::size_t columns) {
  return static_cast<double>(columns == 0 ? 1 : columns) / 2;
}

// w(x), x ≥ 0.
[[nodiscard]] inline double row_weight(double x) {
  return 1 / std::sqrt(0.21 + x * (0.54 + 0.25 * x));
}

}  // namespace sotto
