#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "data/schema.h"

namespace sotto {

// The grid of a row's entries has steps of 2^−kGridBits. With 20, the products
// of thousands of rows add up in doubles without rounding, and a step is far below any noise.
inline constexpr int kGridBits = 20;
inline constexpr double kGridOne = 1048576.0;  // 2^kGridBits
static_assert(kGridOne == double{1 << kGridBits});

// A column's public map to [−1, 1]:
//
//     u = (min(max(v, lo), hi) − middle) / half
//
// With an intercept, middle and half are the interval's own. Without one, middle = 0
// and half = max(|lo|, |hi|): a model without a constant must not get one by centring.
struct ColumnScale {
  Bounds bounds;
  double middle = 0;
  double half = 1;
};

// Coefficients in the columns' own units: y ≈ Σ value_k · column_k.
struct OwnUnits {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;  // 0×0 when none was given
};

// How a table's row becomes a row (x, y) of the unit ball, and how a model of
// those rows becomes one of the table. Made from the schema alone.
//
// A row is u ∈ [−1, 1]^d (intercept 1, numbers scaled, levels 0/1), shortened to
// ‖u‖ ≤ R where R is below the longest row. Then, with S = ⌊2^b/R⌋ and b = kGridBits,
//
//     x_k = g_k·2^−b,   g_k = the integer nearest to u_k·S,   ‖g‖² ≤ 4^b,
//     y   = h·2^−b,     h   = the integer nearest to u_y·2^b, |h| ≤ 2^b.
//
// S is an integer, so intercept and levels stand on the grid exactly, and at the
// default radius ‖g‖² ≤ k·S² ≤ 4^b holds without any shortening.
//
// With Weighting::kBounded there is no ball: the whole row (1, u, u_y) is multiplied by √w
// (data/row_weight.h) and stands on the grid with S = 2^b.
class Encoding {
 public:
  [[nodiscard]] static Result<Encoding> make(const Schema& schema);

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] std::size_t dimension() const { return names_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] bool shortens() const { return radius_ < schema_.longest_row(); }

  // S, an integer.
  [[nodiscard]] double grid_scale() const { return grid_scale_; }

  // Of feature k; meaningless where it is categorical.
  [[nodiscard]] const ColumnScale& feature_scale(std::size_t k) const { return features_[k]; }
  [[nodiscard]] const ColumnScale& target_scale() const { return target_; }

  // β = Mθ + m from the model y = θᵀx of the unit ball:
  //
  //     β_k = half_y·s·θ_k/half_k (level: half_k = 1),  s = S·2^−b,
  //     β_0 = middle_y + half_y·s·θ_0 − Σ_k β_k·middle_k,
  //
  // and Cov β = M·Cov θ·Mᵀ. `covariance` may be 0×0.
  [[nodiscard]] OwnUnits to_own_units(const Eigen::VectorXd& theta,
                                      const Eigen::MatrixXd& covariance = {}) const;

  // M and m of the same map, for whoever needs them apart.
  [[nodiscard]] Eigen::MatrixXd own_units_matrix() const;
  [[nodiscard]] Eigen::VectorXd own_units_offset() const;

 private:
  Encoding() = default;

  Schema schema_;
  std::vector<std::string> names_;
  std::vector<ColumnScale> features_;
  ColumnScale target_;
  double radius_ = 1;
  double grid_scale_ = kGridOne;
};

}  // namespace sotto
