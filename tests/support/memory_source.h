#pragma once

// A table in memory, as a source.

#include <cmath>
#include <span>
#include <vector>

#include "moments/moments.h"

namespace sotto {

// Rows as values: the schema's table_columns() (a level by its place in the list), without terms
// the features and then the target; kMissing where there is none.
class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const std::vector<double>> rows) : rows_(rows) {}

  [[nodiscard]] std::size_t workers() const override { return 1; }

  [[nodiscard]] Result<void> read(const Schema& schema, const RowSink& sink) const override {
    RawRows raw(schema.table_columns().size());
    for (std::size_t first = 0; first < rows_.size(); first += kGroupRows) {
      raw.rows = std::min(kGroupRows, rows_.size() - first);
      raw.first_record = first;
      raw.any_missing = false;
      for (std::size_t r = 0; r < raw.rows; ++r) {
        for (std::size_t c = 0; c < raw.columns(); ++c) {
          raw.column(c)[r] = rows_[first + r].at(c);
          raw.any_missing |= std::isnan(raw.column(c)[r]);
        }
      }
      sink(0, raw);
    }
    return {};
  }

 private:
  std::span<const std::vector<double>> rows_;
};

inline Result<TableMoments> moments_from_rows(std::span<const std::vector<double>> rows,
                                              const Schema& schema) {
  return read_moments(MemorySource(rows), schema);
}

}  // namespace sotto
