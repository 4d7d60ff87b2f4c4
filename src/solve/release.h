#pragma once

#include <optional>
#include <span>

#include "data/encoding.h"
#include "moments/sensitivity.h"
#include "solve/noisy_sums.h"

// What a table's run has released, and the models that it holds: every linear model of any of its
// columns. All of it is post-processing: it costs no privacy.
namespace sotto {

// The noisy second moments of all columns z = (x, y) of a study, in the units of its Encoding:
//
//     M̂ = Σw·zzᵀ + noise,   independent on the upper triangle, of standard deviation noise_sd
//
// w = 1, or with Weighting::kBounded the row's weight (data/row_weight.h), by all of the study's
// features: then Σw stands where the number of rows would.
// The target stands last. Its square is NaN where the study keeps Σy² at home.
struct Release {
  Schema schema;
  Eigen::MatrixXd moments;   // symmetric
  Eigen::MatrixXd noise_sd;  // symmetric

  // `sums` as a run leaves them, in the order of Moments, all or all but Σy²: noise on entry k has
  // the standard deviation σ/√share_k (entry_weights()). Without noise, σ = 0, Σy² may be there
  // whatever the shares.
  [[nodiscard]] static Release from_sums(const Schema& schema, const EntryShares& shares,
                                         double sigma, std::span<const double> sums);

  [[nodiscard]] Eigen::Index size() const { return moments.rows(); }
  [[nodiscard]] Eigen::Index target() const { return size() - 1; }
  [[nodiscard]] bool squares_released() const;

  // "intercept", "age", "smoker=yes", and the target's column.
  [[nodiscard]] std::vector<std::string> columns() const;

  // What a column is multiplied by after its public map to [−1, 1]: S·2^−b, and 1 for the target
  // and where rows are weighted.
  [[nodiscard]] Eigen::VectorXd scales() const;
};

// One model of the released columns: which is the target, and which explain it.
struct Selection {
  Schema schema;                      // the model's: how `predict` encodes a row
  Eigen::Index target = 0;            // columns of the release
  std::vector<Eigen::Index> columns;  // in the order of the schema's entries
  // Where these stand among the schema's entries. A level that was not chosen is an entry without
  // a column: its coefficient is 0, as the base level's.
  std::vector<Eigen::Index> entries;
  bool through_origin = false;  // the intercept is there, and is to be 0 in own units

  [[nodiscard]] bool operator==(const Selection& other) const {
    return target == other.target && columns == other.columns &&
           through_origin == other.through_origin;
  }
};

// The study's own target and features.
[[nodiscard]] Selection own_selection(const Release& release);

// The model of column `target` by the columns that are `chosen`, one entry per column. The
// intercept, if the release has one, comes along: columns are centred by their bounds, so without
// it the sums would be those of a model through the middle of the bounds (through_origin() in
// solve/inferred_fit.h is the one without a constant). A level as target is 0 or 1.
// E-refit-features: target and feature are one column, or nothing is left. E-refit-squares: the
// study's target cannot explain another where its square was not released.
[[nodiscard]] Result<Selection> select(const Release& release, Eigen::Index target,
                                       const std::vector<bool>& chosen);

// Moments of some columns, and the noise on each.
struct ReleasePart {
  Eigen::MatrixXd moments;
  Eigen::MatrixXd noise_sd;
};

// M̂ of a selection's columns, then its target, then `more` columns, in the units of the
// selection's own encoding (`more` in the release's). With g_k the ratio of a column's scale there
// to that in the release,
//
//     M̂'_jk = g_j·g_k·M̂_jk,   sd'_jk = g_j·g_k·sd_jk,
//
// and g = 1 for the study's own selection, to the bit. Proof: docs/proofs/refit.md.
[[nodiscard]] ReleasePart part_of(const Release& release, const Selection& selection,
                                  const std::vector<Eigen::Index>& more = {});

// How rows are weighted in the release, as far as its noisy sums tell. With w = g^(−1/2),
// g = 0.21 + 0.54x + 0.25x² (data/row_weight.h), x̄ and Var x the mean and variance of x over rows
// that count by their weight,
//
//     w̄ = E w ≈ w(x̄) + ½w''(x̄)·Var x,   rows = Σw·E(1/w) ≈ Σw·(√g(x̄) + ½√g''(x̄)·Var x)
//
// x̄ comes from Σwu²; Var x is that of independent columns, uniform numbers and 0/1 levels. Within
// 2 % of the truth on drawn tables. Proof: docs/proofs/standard_errors.md.
struct TypicalWeight {
  double weight = 1;           // w̄ ≈ Σw²/Σw
  std::optional<double> rows;  // a noisy number of rows; needs an intercept
};
[[nodiscard]] TypicalWeight typical_weight(const Release& release);

// What the sums of a table are, beside Â and b̂.
struct TableSums {
  NoisySums sums;
  bool squares_released = true;
  double sum_of_squares = 0;  // ĉ, Σy² with noise of sd sigma_c, if released
  double sigma_c = 0;
  bool intercept = true;  // x's first entry is the same in every row
  bool weighted = false;  // rows are multiplied by a weight's root, and stand in [−1, 1]
  double typical_weight = 1;
};

// The sums that a study of these columns would have ended with.
[[nodiscard]] TableSums table_sums(const Release& release, const Selection& selection);

}  // namespace sotto
