#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "data/encoding.h"

namespace sotto {

// Rows travel in small groups, column by column, so that a group stays in the
// first-level cache and every loop over it has a constant length.
inline constexpr std::size_t kGroupRows = 128;

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Up to kGroupRows rows as the table has them: a column per feature in the
// schema's order, then the target. A number stands for itself, a level for its
// place in the schema's list, kMissing for what is not there.
class RawRows {
 public:
  explicit RawRows(std::size_t columns) : values_(columns * kGroupRows) {}

  [[nodiscard]] double* column(std::size_t c) { return values_.data() + c * kGroupRows; }
  [[nodiscard]] const double* column(std::size_t c) const {
    return values_.data() + c * kGroupRows;
  }
  [[nodiscard]] std::size_t columns() const { return values_.size() / kGroupRows; }

  std::size_t rows = 0;
  bool any_missing = false;
  // The first row's number in its file, from 0. Only known where one thread reads.
  std::uint64_t first_record = 0;

 private:
  std::vector<double> values_;
};

// How many values the public bounds changed. Counts of the data: they stay with
// the party, and no one else may see them.
struct ClipReport {
  std::vector<std::uint64_t> features;  // per feature; 0 where it is categorical
  std::uint64_t target = 0;
  std::uint64_t shortened_rows = 0;

  ClipReport& operator+=(const ClipReport& other);
};

// Up to kGroupRows rows on the grid: the columns of g, then h (see Encoding).
// Invariant: every value is an integer, ‖g‖² ≤ 4^b and |h| ≤ 2^b in every row;
// what is not a row is 0, and adds nothing to any sum.
class GridRows {
 public:
  explicit GridRows(std::size_t dimension);

  [[nodiscard]] const double* column(std::size_t c) const {
    return values_.data() + c * kGroupRows;
  }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }

  std::size_t rows = 0;
  // Which row of the RawRows each one was.
  std::array<std::uint16_t, kGroupRows> source{};

 private:
  friend class RowEncoder;
  double* column(std::size_t c) { return values_.data() + c * kGroupRows; }

  std::size_t dimension_;
  std::vector<double> values_;
};

// Raw rows in, grid rows out. Everything a row becomes depends on that row and
// the schema alone: that is what lets one person move the sums by one row only.
class RowEncoder {
 public:
  explicit RowEncoder(const Encoding& encoding);

  // Rows with a missing value are dropped. Valid until the next call.
  [[nodiscard]] const GridRows& encode(const RawRows& raw);

  [[nodiscard]] const ClipReport& clips() const { return clips_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  void keep_complete_rows(const RawRows& raw);
  std::uint64_t scale_column(const double* raw, const ColumnScale& scale, double* out);
  void spread_levels(const double* raw, std::size_t levels, std::size_t first_entry);
  void shorten_to_radius();
  void round_to_grid();
  void shrink_row(std::size_t r);

  const Encoding& encoding_;
  bool has_avx2_;
  GridRows grid_;
  std::array<double, kGroupRows> lane_{};  // one column, or one number per row
  ClipReport clips_;
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace sotto
