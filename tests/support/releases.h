#pragma once

#include <Eigen/Dense>
#include <vector>

#include "base/statistics.h"
#include "moments/moments.h"
#include "solve/release.h"

namespace sotto {

// Of studies that add or remove a row, and weigh all alike.
inline constexpr EntryShares kAddRemoveShares = ball_shares({.w2 = 1, .v2 = 0.25});

// Sums in the order of Moments from the moments of (x, y).
inline std::vector<double> sums_in_order(const Eigen::MatrixXd& moments) {
  const Eigen::Index d = moments.rows() - 1;
  std::vector<double> sums;
  for (Eigen::Index r = 0; r < d; ++r) {
    for (Eigen::Index c = r; c < d; ++c) sums.push_back(moments(r, c));
  }
  for (Eigen::Index r = 0; r <= d; ++r) sums.push_back(moments(r, d));
  return sums;
}

// The release of rows in their own units, a column for each of the release's (levels 0 or 1), with
// noise from a seed; but for the grid.
inline Release release_of_rows(const Schema& schema, const Eigen::MatrixXd& rows, double sigma,
                               std::uint64_t seed) {
  const Encoding encoding = Encoding::make(schema).value();
  const double s = encoding.grid_scale() / kGridOne;
  Eigen::MatrixXd z = s * rows;
  Eigen::Index at = schema.intercept ? 1 : 0;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    if (const auto* levels = std::get_if<CategoricalFeature>(&schema.features[k])) {
      at += static_cast<Eigen::Index>(levels->levels.size()) - 1;
      continue;
    }
    const ColumnScale& scale = encoding.feature_scale(k);
    z.col(at) = s * (rows.col(at).array() - scale.middle) / scale.half;
    ++at;
  }
  const ColumnScale& target = encoding.target_scale();
  z.col(at) = (rows.col(at).array() - target.middle) / target.half;
  std::vector<double> sums = sums_in_order(z.transpose() * z);
  const std::vector<double> weights =
      entry_weights(schema.entries(), schema.intercept, kAddRemoveShares);
  StandardNormal normal(seed);
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += sigma / weights[k] * normal();
  return Release::from_sums(schema, kAddRemoveShares, sigma, sums);
}

}  // namespace sotto
