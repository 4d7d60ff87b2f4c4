#include "moments/moments_sum.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "moments/quadratic.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The Gram matrix of a group of rows, in tiles, by the kernel that the processor has.
namespace sotto {
namespace {

// Tiles of 3×3 columns: nine running sums fit the registers, and each value
// that is loaded is used three times.
constexpr std::size_t kTile = 3;

constexpr std::array<double, kGroupRows> kZeroColumn{};

void portable_tile(const double* const* a, const double* const* b, double* out, std::size_t width) {
  std::array<double, kTile * kTile> sum{};
  for (std::size_t r = 0; r < kGroupRows; ++r) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < kTile; ++i) {
#pragma GCC unroll 3
      for (std::size_t j = 0; j < kTile; ++j) sum[i * kTile + j] += a[i][r] * b[j][r];
    }
  }
  for (std::size_t i = 0; i < kTile; ++i) {
    for (std::size_t j = 0; j < kTile; ++j) out[i * width + j] += sum[i * kTile + j];
  }
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) inline double total(__m256d v) {
  const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

__attribute__((target("avx2,fma"))) void avx2_tile(const double* const* a, const double* const* b,
                                                   double* out, std::size_t width) {
  __m256d s00 = _mm256_setzero_pd(), s01 = s00, s02 = s00;
  __m256d s10 = s00, s11 = s00, s12 = s00;
  __m256d s20 = s00, s21 = s00, s22 = s00;
  for (std::size_t r = 0; r < kGroupRows; r += 4) {
    const __m256d b0 = _mm256_loadu_pd(b[0] + r);
    const __m256d b1 = _mm256_loadu_pd(b[1] + r);
    const __m256d b2 = _mm256_loadu_pd(b[2] + r);
    const __m256d a0 = _mm256_loadu_pd(a[0] + r);
    s00 = _mm256_fmadd_pd(a0, b0, s00);
    s01 = _mm256_fmadd_pd(a0, b1, s01);
    s02 = _mm256_fmadd_pd(a0, b2, s02);
    const __m256d a1 = _mm256_loadu_pd(a[1] + r);
    s10 = _mm256_fmadd_pd(a1, b0, s10);
    s11 = _mm256_fmadd_pd(a1, b1, s11);
    s12 = _mm256_fmadd_pd(a1, b2, s12);
    const __m256d a2 = _mm256_loadu_pd(a[2] + r);
    s20 = _mm256_fmadd_pd(a2, b0, s20);
    s21 = _mm256_fmadd_pd(a2, b1, s21);
    s22 = _mm256_fmadd_pd(a2, b2, s22);
  }
  const __m256d* rows[kTile][kTile] = {{&s00, &s01, &s02}, {&s10, &s11, &s12}, {&s20, &s21, &s22}};
  for (std::size_t i = 0; i < kTile; ++i) {
    for (std::size_t j = 0; j < kTile; ++j) out[i * width + j] += total(*rows[i][j]);
  }
}

#endif

}  // namespace

SumKernel best_sum_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return SumKernel::kAvx2;
  }
#endif
  return SumKernel::kPortable;
}

MomentSum::MomentSum(std::size_t dimension, SumKernel kernel)
    : dimension_(dimension),
      width_((dimension + 1 + kTile - 1) / kTile * kTile),
      kernel_(kernel),
      columns_(width_, kZeroColumn.data()),
      gram_(width_ * width_),
      totals_(moments_size(dimension)) {
#if !defined(__x86_64__)
  kernel_ = SumKernel::kPortable;
#endif
}

void MomentSum::add(const Rows& rows) {
  check(rows.dimension() == dimension_, "rows and sums have one dimension");
  if (pending_ + rows.rows > kExactRows) flush();
  pending_ += rows.rows;
  for (std::size_t c = 0; c <= dimension_; ++c) columns_[c] = rows.column(c);
  for (std::size_t i = 0; i < width_; i += kTile) {
    for (std::size_t j = i; j < width_; j += kTile) {
      const double* const* a = columns_.data() + i;
      const double* const* b = columns_.data() + j;
      double* out = gram_.data() + i * width_ + j;
#if defined(__x86_64__)
      if (kernel_ == SumKernel::kAvx2) {
        avx2_tile(a, b, out, width_);
        continue;
      }
#endif
      portable_tile(a, b, out, width_);
    }
  }
}

void MomentSum::flush() {
  const std::size_t products = dimension_ * (dimension_ + 1) / 2;
  for (std::size_t i = 0; i <= dimension_; ++i) {
    for (std::size_t j = i; j <= dimension_; ++j) {
      const std::size_t entry = i == dimension_   ? products + dimension_
                                : j == dimension_ ? products + i
                                                  : theta_index(dimension_, i, j);
      totals_[entry] += static_cast<std::int64_t>(gram_[i * width_ + j]);
    }
  }
  std::fill(gram_.begin(), gram_.end(), 0.0);
  pending_ = 0;
}

Moments MomentSum::moments() {
  flush();
  Moments result(dimension_);
  for (std::size_t k = 0; k < totals_.size(); ++k) {
    const Wide high = totals_[k] >> 62;  // rounds down, so that the rest is not negative
    result.sums[k] = static_cast<long>(high);
    result.sums[k] <<= 62;
    result.sums[k] += static_cast<long>(totals_[k] - high * (Wide{1} << 62));
  }
  return result;
}

}  // namespace sotto
