#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/encoding.h"
#include "data/persons.h"
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
  std::vector<ColumnClips> columns;  // per column of the table; 0 where it is categorical
  std::uint64_t shortened_rows = 0;

  ClipReport& operator+=(const ClipReport& other);
  bool operator==(const ClipReport&) const = default;
};

// Whether row r has everything that the study uses.
[[nodiscard]] bool is_complete(const RawRows& raw, std::size_t r);

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
// the schema alone, and with `persons` on how many rows the same person has: that is what lets one
// person move the sums by one row only, or by as many as the schema says.
class RowEncoder {
 public:
  // `persons` (where the schema has a person's column) has counted the table's complete_rows().
  explicit RowEncoder(const Encoding& encoding, Persons* persons = nullptr,
                      RowKernel kernel = best_row_kernel());

  // Rows with a missing value are dropped. Valid until the next call.
  [[nodiscard]] const Rows& encode(const RawRows& raw);

  [[nodiscard]] const ClipReport& clips() const { return clips_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  // Weights outside their bounds. They counted as the nearest bound, but no table may have any.
  [[nodiscard]] std::uint64_t weights_outside() const { return weights_outside_; }

 private:
  void keep_complete_rows(const RawRows& raw);
  void gather(const double* raw, double filler);
  ColumnClips scale_lane_to(const ColumnScale& scale, double* out);
  void encode_number(const RawRows& raw, const std::vector<std::size_t>& inputs,
                     const std::optional<Term>& term, const ColumnScale& scale, double* out);
  void spread_levels(const double* raw, std::size_t levels, std::size_t first_entry);
  void spread_party(std::size_t levels, std::size_t first_entry);
  void shorten_to_radius();
  // rows_terms.cpp
  void find_term_columns();
  void clip_term_columns(const RawRows& raw);
  void evaluate_term(const Term& term, const std::vector<std::size_t>& inputs);
  void spread_spline(const RawRows& raw, std::size_t feature, std::size_t first_entry);
  // Whether rows count less than once: they have a weight, or their person has several.
  [[nodiscard]] bool shares() const {
    return encoding_.schema().weight.has_value() || persons_ != nullptr;
  }
  void find_shares(const RawRows& raw);
  void take_shares();
  void round_to_grid();
  void weigh_and_round();
  void clear_after_rows();
  void shrink_row(std::size_t r);

  const Encoding& encoding_;
  Persons* persons_;
  bool has_avx2_;
  Rows grid_;
  std::array<double, kGroupRows> lane_{};     // one column, or one number per row
  std::array<double, kGroupRows> longest_{};  // ‖g‖² and h² of each row are at most this
  std::array<double, kGroupRows> share_{};    // what each row is multiplied by, where shares()
  std::array<double, kGroupRows> root_weight_{};
  std::array<double, kGroupRows> intercept_{};
  std::vector<std::optional<SplineBasis>> splines_;  // per feature
  // Of the table's columns that terms use: values inside the bounds, a lane each.
  struct TermColumn {
    std::size_t place;
    bool counted;  // by its clips elsewhere: it is a feature of its own, or the target
    std::array<double, kGroupRows> lane;
  };
  std::vector<TermColumn> term_columns_;
  std::vector<const double*> term_inputs_;
  std::vector<double> scratch_;
  std::uint64_t weights_outside_ = 0;
  ClipReport clips_;
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace sotto
