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
  if (features.size() < other.features.size()) features.resize(other.features.size());
  for (std::size_t k = 0; k < other.features.size(); ++k) features[k] += other.features[k];
  target += other.target;
  shortened_rows += other.shortened_rows;
  return *this;
}

Rows::Rows(std::size_t dimension) : dimension_(dimension), values_((dimension + 1) * kGroupRows) {}

RowKernel best_row_kernel() {
  return has_avx2() ? RowKernel::kAvx2 : RowKernel::kPortable;
}

RowEncoder::RowEncoder(const Encoding& encoding, RowKernel kernel)
    : encoding_(encoding),
      has_avx2_(kernel == RowKernel::kAvx2 && has_avx2()),
      grid_(encoding.dimension()) {
  clips_.features.resize(encoding.schema().features.size());
}

const Rows& RowEncoder::encode(const RawRows& raw) {
  const Schema& schema = encoding_.schema();
  check(raw.columns() == schema.features.size() + 1, "a raw column per feature and the target");
  keep_complete_rows(raw);
  std::size_t entry = 0;
  if (schema.intercept) std::fill_n(grid_.column(entry++), kGroupRows, 1.0);
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    if (const auto* categorical = std::get_if<CategoricalFeature>(&schema.features[k])) {
      spread_levels(raw.column(k), categorical->levels.size(), entry);
      entry += categorical->levels.size() - 1;
    } else {
      clips_.features[k] +=
          scale_column(raw.column(k), encoding_.feature_scale(k), grid_.column(entry++));
    }
  }
  clips_.target += scale_column(raw.column(schema.features.size()), encoding_.target_scale(),
                                grid_.column(entry));
  if (schema.weighting == Weighting::kBounded) {
    weigh_and_round();
    return grid_;
  }
  if (encoding_.shortens()) shorten_to_radius();
  round_to_grid();
  return grid_;
}

void RowEncoder::keep_complete_rows(const RawRows& raw) {
  grid_.rows = 0;
  for (std::size_t r = 0; r < raw.rows; ++r) {
    bool complete = true;
    if (raw.any_missing) {
      for (std::size_t c = 0; c < raw.columns(); ++c) complete &= !std::isnan(raw.column(c)[r]);
    }
    grid_.source[grid_.rows] = static_cast<std::uint16_t>(r);
    grid_.rows += complete ? 1 : 0;
  }
  kept_ += grid_.rows;
  dropped_ += raw.rows - grid_.rows;
}

ColumnClips RowEncoder::scale_column(const double* raw, const ColumnScale& scale, double* out) {
  if (grid_.rows == kGroupRows) {
    std::copy_n(raw, kGroupRows, lane_.data());
  } else {
    for (std::size_t r = 0; r < grid_.rows; ++r) lane_[r] = raw[grid_.source[r]];
    std::fill(lane_.begin() + static_cast<std::ptrdiff_t>(grid_.rows), lane_.end(),
              scale.bounds.lo);
  }
  return has_avx2_ ? scale_lane_avx2(lane_.data(), scale, out)
                   : scale_lane(lane_.data(), scale, out);
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
    if (lane_[r] > kGridOne * kGridOne) shrink_row(r);
  }
  clear_after_rows();
}

void RowEncoder::clear_after_rows() {
  for (std::size_t k = 0; k <= grid_.dimension() && grid_.rows < kGroupRows; ++k) {
    std::fill(grid_.column(k) + grid_.rows, grid_.column(k) + kGroupRows, 0.0);
  }
}

// Rounding has pushed ‖g‖ over 2^b: take one off the largest entry, the first of
// equals, until it is inside. Each step lowers ‖g‖² by 2·max|g_k| − 1 ≥ 1.
void RowEncoder::shrink_row(std::size_t r) {
  double square = lane_[r];
  while (square > kGridOne * kGridOne) {
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
