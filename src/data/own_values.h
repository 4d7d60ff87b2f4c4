#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/rows.h"

namespace sotto {

// One raw row after the other as a model sees it in the columns' own units: values clipped to their
// bounds, terms and splines computed of those, levels 0 or 1. For predictions: nothing here is on a
// grid.
class OwnValues {
 public:
  // Rows have the encoding's table_columns(false). Of a feature by party, the level is
  // encoding.schema().party; where that is none, every party counts alike.
  explicit OwnValues(const Encoding& encoding);

  // False where a value is missing.
  [[nodiscard]] bool take(const RawRows& raw, std::size_t r);

  // Of the last row: an entry for each of the encoding's names(), and ‖u‖².
  [[nodiscard]] const std::vector<double>& entries() const { return entries_; }
  [[nodiscard]] double length_squared() const { return square_; }

  // Of all rows, per column that is read.
  [[nodiscard]] const std::vector<TableColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<ColumnClips>& clips() const { return clips_; }

 private:
  void clip(const RawRows& raw, std::size_t r);
  double* take_category(const CategoricalFeature& feature, std::size_t k, double* entry);
  double* take_number(const NumericFeature& feature, std::size_t k, double* entry);
  double* take_spline(std::size_t k, double* entry);

  const Encoding& encoding_;
  std::vector<TableColumn> columns_;
  std::vector<ColumnClips> clips_;
  std::vector<std::optional<SplineBasis>> splines_;  // per feature
  std::vector<double> clipped_;                      // per column
  std::vector<double> values_;                       // of one feature's columns
  std::vector<const double*> inputs_;
  std::vector<double> scratch_;
  std::vector<double> entries_;
  double square_ = 0;
};

}  // namespace sotto
