#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/encoding.h"
#include "data/source.h"

// Raw rows in, rows of the unit ball on the integer grid out.
namespace sotto {

// How many values of a column the public bounds raised, and how many they lowered.
struct ColumnClips {
  std::uint64_t below = 0;
  std::uint64_t above = 0;

  ColumnClips& operator+=(const ColumnClips& other);
  bool operator==(const ColumnClips&) const = default;
};

// What the public bounds and the radius changed. Counts of the data: they stay with
// the party, and no one else may see them.
struct ClipReport {
  std::vector<ColumnClips> features;  // per feature; 0 where it is categorical
  ColumnClips target;
  std::uint64_t shortened_rows = 0;

  ClipReport& operator+=(const ClipReport& other);
  bool operator==(const ClipReport&) const = default;
};

// Up to kGroupRows rows on the grid: the columns of g, then h (see Encoding).
// Invariant: every value is an integer, and in every row, with Weighting::kNone,
//
//     ‖g‖² ≤ 4^b,   |h| ≤ 2^b,
//
// with Weighting::kBounded, g₀ the intercept's entry (or what it would be), g the others,
//
//     0.21g₀⁴ + 0.54g₀²‖g‖²/R² + 0.25‖g‖⁴/R⁴ ≤ 16^b,   |h| ≤ g₀.
//
// What is not a row is 0, and adds nothing to any sum.
class Rows {
 public:
  explicit Rows(std::size_t dimension);

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

// The same bits either way.
enum class RowKernel { kPortable, kAvx2 };
[[nodiscard]] RowKernel best_row_kernel();

// Raw rows in, grid rows out. Everything a row becomes depends on that row and
// the schema alone: that is what lets one person move the sums by one row only.
class RowEncoder {
 public:
  explicit RowEncoder(const Encoding& encoding, RowKernel kernel = best_row_kernel());

  // Rows with a missing value are dropped. Valid until the next call.
  [[nodiscard]] const Rows& encode(const RawRows& raw);

  [[nodiscard]] const ClipReport& clips() const { return clips_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  void keep_complete_rows(const RawRows& raw);
  ColumnClips scale_column(const double* raw, const ColumnScale& scale, double* out);
  void spread_levels(const double* raw, std::size_t levels, std::size_t first_entry);
  void shorten_to_radius();
  void round_to_grid();
  void weigh_and_round();
  void clear_after_rows();
  void shrink_row(std::size_t r);

  const Encoding& encoding_;
  bool has_avx2_;
  Rows grid_;
  std::array<double, kGroupRows> lane_{};  // one column, or one number per row
  std::array<double, kGroupRows> root_weight_{};
  std::array<double, kGroupRows> intercept_{};
  ClipReport clips_;
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace sotto
