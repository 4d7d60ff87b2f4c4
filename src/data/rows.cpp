#include "data/rows.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

// A group of rows is clipped, scaled, shortened and rounded column by column, in loops that
// a compiler can do for several rows at once.
namespace sotto {
namespace {

// Into both callers, so that each compiles it for its own instructions.
#define SOTTO_INLINE inline __attribute__((always_inline))

// The integer nearest to v, |v| < 2^51; halves go to the even one. Adding
// 1.5·2^52 leaves no room for a fraction. Unlike nearbyint, a compiler can do it
// for several values at once on any machine.
SOTTO_INLINE double nearest_integer(double v) {
  constexpr double kNoFraction = 6755399441055744.0;
  return (v + kNoFraction) - kNoFraction;
}

// u = (min(max(v, lo), hi) − middle)/half; returns how many values were clipped.
SOTTO_INLINE ColumnClips scale_lane(const double* __restrict lane, const ColumnScale& scale,
                                    double* __restrict out) {
  const auto [lo, hi] = scale.bounds;
  const double middle = scale.middle;
  const double inverse_half = 1 / scale.half;
  ColumnClips clips;
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    const double v = lane[r];
    const double raised = v < lo ? lo : v;
    const double inside = raised > hi ? hi : raised;
    clips.below += v < lo ? std::uint64_t{1} : std::uint64_t{0};
    clips.above += v > hi ? std::uint64_t{1} : std::uint64_t{0};
    const double u = (inside - middle) * inverse_half;
    const double above = u < -1.0 ? -1.0 : u;  // the product may end one unit beyond ±1
    out[r] = above > 1.0 ? 1.0 : above;
  }
  return clips;
}

// g ← the integer nearest to u·scale; square += g², exactly: integers below 2^53.
SOTTO_INLINE void round_lane(double* __restrict g, double scale, double* __restrict square) {
  for (std::size_t r = 0; r < kGroupRows; ++r) {
    g[r] = nearest_integer(g[r] * scale);
    square[r] += g[r] * g[r];
  }
}

// The same loops, four values at a time. No fused multiply-add, so the same bits.
#if defined(__x86_64__)
#define SOTTO_AVX2 __attribute__((target("avx2")))
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0;
}
#else
#define SOTTO_AVX2
bool has_avx2() {
  return false;
}
#endif
SOTTO_AVX2 ColumnClips scale_lane_avx2(const double* lane, const ColumnScale& scale, double* out) {
  return scale_lane(lane, scale, out);
}
SOTTO_AVX2 void round_lane_avx2(double* g, double scale, double* square) {
  round_lane(g, scale, square);
}
#undef SOTTO_AVX2
#undef SOTTO_INLINE

}  // namespace

ColumnClips& ColumnClips::operator+=(const ColumnClips& other) {
  below += other.below;
  above += other.above;
  return *this;
}

ClipReport& ClipReport::operator+=(const ClipReport& other) {
  if (columns.size() < other.columns.size()) columns.resize(other.columns.size());
  for (std::size_t k = 0; k < other.columns.size(); ++k) columns[k] += other.columns[k];
  shortened_rows += other.shortened_rows;
  return *this;
}

bool is_complete(const RawRows& raw, std::size_t r) {
  if (!raw.any_missing) return true;
  bool complete = raw.persons.empty() || !raw.persons[r].empty();
  for (std::size_t c = 0; c < raw.columns(); ++c) complete &= !std::isnan(raw.column(c)[r]);
  return complete;
}

Rows::Rows(std::size_t dimension) : dimension_(dimension), values_((dimension + 1) * kGroupRows) {}

RowKernel best_row_kernel() {
  return has_avx2() ? RowKernel::kAvx2 : RowKernel::kPortable;
}

RowEncoder::RowEncoder(const Encoding& encoding, Persons* persons, RowKernel kernel)
    : encoding_(encoding),
      persons_(persons),
      has_avx2_(kernel == RowKernel::kAvx2 && has_avx2()),
      grid_(encoding.dimension()) {
  check(encoding.schema().person.has_value() == (persons != nullptr),
        "persons are counted where the study has a person's column, and nowhere else");
  clips_.columns.resize(encoding.table().size());
  longest_.fill(kGridOne * kGridOne);
  for (const Feature& feature : encoding.schema().features) {
    const auto* spline = std::get_if<SplineFeature>(&feature);
    splines_.push_back(spline == nullptr ? std::nullopt : std::optional(spline->basis()));
  }
  find_term_columns();
}

const Rows& RowEncoder::encode(const RawRows& raw) {
  const Schema& schema = encoding_.schema();
  check(raw.columns() == encoding_.table().size(), "a raw column for each that the study reads");
  keep_complete_rows(raw);
  clip_term_columns(raw);
  std::size_t entry = 0;
  if (schema.intercept) std::fill_n(grid_.column(entry++), kGroupRows, 1.0);
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const auto& inputs = encoding_.inputs(k);
    if (const auto* categorical = std::get_if<CategoricalFeature>(&schema.features[k])) {
      categorical->by_party
          ? spread_party(categorical->levels.size(), entry)
          : spread_levels(raw.column(inputs[0]), categorical->levels.size(), entry);
    } else if (const auto* number = std::get_if<NumericFeature>(&schema.features[k])) {
      encode_number(raw, inputs, number->term, encoding_.feature_scale(k), grid_.column(entry));
    } else {
      spread_spline(raw, k, entry);
    }
    entry += entries_of(schema.features[k]);
  }
  encode_number(raw, encoding_.target_inputs(), schema.target.term, encoding_.target_scale(),
                grid_.column(entry));
  if (shares()) find_shares(raw);
  if (schema.weighting == Weighting::kBounded) {
    weigh_and_round();
    return grid_;
  }
  if (encoding_.shortens()) shorten_to_radius();
  if (shares()) take_shares();
  round_to_grid();
  return grid_;
}

void RowEncoder::keep_complete_rows(const RawRows& raw) {
  grid_.rows = 0;
  for (std::size_t r = 0; r < raw.rows; ++r) {
    grid_.source[grid_.rows] = static_cast<std::uint16_t>(r);
    grid_.rows += is_complete(raw, r) ? 1 : 0;
  }
  kept_ += grid_.rows;
  dropped_ += raw.rows - grid_.rows;
}

// The rows that are kept, in lane_; behind them what nobody counts.
void RowEncoder::gather(const double* raw, double filler) {
  if (grid_.rows == kGroupRows) {
    std::copy_n(raw, kGroupRows, lane_.data());
    return;
  }
  for (std::size_t r = 0; r < grid_.rows; ++r) lane_[r] = raw[grid_.source[r]];
  std::fill(lane_.begin() + static_cast<std::ptrdiff_t>(grid_.rows), lane_.end(), filler);
}

ColumnClips RowEncoder::scale_lane_to(const ColumnScale& scale, double* out) {
  return has_avx2_ ? scale_lane_avx2(lane_.data(), scale, out)
                   : scale_lane(lane_.data(), scale, out);
}

void RowEncoder::encode_number(const RawRows& raw, const std::vector<std::size_t>& inputs,
                               const std::optional<Term>& term, const ColumnScale& scale,
                               double* out) {
  if (term) {
    evaluate_term(*term, inputs);
    (void)scale_lane_to(scale, out);  // its columns were clipped, and counted
    return;
  }
  gather(raw.column(inputs[0]), scale.bounds.lo);
  clips_.columns[inputs[0]] += scale_lane_to(scale, out);
}

void RowEncoder::spread_levels(const double* raw, std::size_t levels, std::size_t first_entry) {
  for (std::size_t level = 1; level < levels; ++level) {
    double* out = grid_.column(first_entry + level - 1);
    for (std::size_t r = 0; r < grid_.rows; ++r) {
      out[r] = raw[grid_.source[r]] == static_cast<double>(level) ? 1.0 : 0.0;
    }
    std::fill(out + grid_.rows, out + kGroupRows, 0.0);
  }
}

void RowEncoder::spread_party(std::size_t levels, std::size_t first_entry) {
  const auto party = encoding_.schema().party;
  check(party && *party < levels, "a table with a party effect is somebody's");
  for (std::size_t level = 1; level < levels; ++level) {
    std::fill_n(grid_.column(first_entry + level - 1), kGroupRows, *party == level ? 1.0 : 0.0);
  }
}

// u ← u·R/‖u‖ where ‖u‖ > R.
void RowEncoder::shorten_to_radius() {
  const double radius = encoding_.radius();
  for (std::size_t r = 0; r < grid_.rows; ++r) {
    double square = 0;
    for (std::size_t k = 0; k < grid_.dimension(); ++k) {
      square += grid_.column(k)[r] * grid_.column(k)[r];
    }
    if (square <= radius * radius) continue;
    const double factor = radius / std::sqrt(square);
    for (std::size_t k = 0; k < grid_.dimension(); ++k) grid_.column(k)[r] *= factor;
    ++clips_.shortened_rows;
  }
}

void RowEncoder::round_to_grid() {
  const double scale = encoding_.grid_scale();
  lane_.fill(0);
  for (std::size_t k = 0; k < grid_.dimension(); ++k) {
    has_avx2_ ? round_lane_avx2(grid_.column(k), scale, lane_.data())
              : round_lane(grid_.column(k), scale, lane_.data());
  }
  double* h = grid_.column(grid_.dimension());
  for (std::size_t r = 0; r < kGroupRows; ++r) h[r] = nearest_integer(h[r] * kGridOne);
  for (std::size_t r = 0; r < grid_.rows; ++r) {
    if (lane_[r] > longest_[r]) shrink_row(r);
    while (h[r] * h[r] > longest_[r]) h[r] -= std::copysign(1.0, h[r]);
  }
  clear_after_rows();
}

void RowEncoder::clear_after_rows() {
  for (std::size_t k = 0; k <= grid_.dimension() && grid_.rows < kGroupRows; ++k) {
    std::fill(grid_.column(k) + grid_.rows, grid_.column(k) + kGroupRows, 0.0);
  }
}

// Rounding has pushed ‖g‖ over 2^b, or over what a person's row may have: take one off the largest
// entry, the first of equals, until it is inside. Each step lowers ‖g‖² by 2·max|g_k| − 1 ≥ 1.
void RowEncoder::shrink_row(std::size_t r) {
  double square = lane_[r];
  while (square > longest_[r]) {
    std::size_t largest = 0;
    for (std::size_t k = 1; k < grid_.dimension(); ++k) {
      if (std::abs(grid_.column(k)[r]) > std::abs(grid_.column(largest)[r])) largest = k;
    }
    double& g = grid_.column(largest)[r];
    square -= 2 * std::abs(g) - 1;
    g -= std::copysign(1.0, g);
  }
}

}  // namespace sotto
