#pragma once

#include "data/row_weight.h"
#include "moments/moments.h"

namespace sotto {

enum class SumKernel { kPortable, kAvx2 };

// AVX2 with fused multiply-add where the processor has it.
[[nodiscard]] SumKernel best_sum_kernel();

// Adds up (g, h)(g, h)ᵀ over rows, exactly. Products of grid values are at most
// 4^b·w(0) = 2.1822·2^40 in magnitude (2^40 where rows are not weighted), so doubles add up
// 3,754 rows without rounding; then they are moved to 128-bit integers. That the doubles are exact
// is why both kernels, and every order of adding, give the same bits.
class MomentSum {
 public:
  static constexpr auto kExactRows =
      static_cast<std::size_t>((std::size_t{1} << (53 - 2 * kGridBits)) / kMaxRowWeight);
  static_assert(kExactRows == 3754);

  explicit MomentSum(std::size_t dimension, SumKernel kernel = best_sum_kernel());

  void add(const Rows& rows);

  [[nodiscard]] Moments moments();

 private:
  __extension__ using Wide = __int128;

  void flush();

  std::size_t dimension_;
  std::size_t width_;  // dimension + 1, rounded up to whole tiles
  SumKernel kernel_;
  std::vector<const double*> columns_;
  std::vector<double> gram_;  // width × width; only tiles on or above the diagonal
  std::size_t pending_ = 0;   // rows in gram_
  std::vector<Wide> totals_;  // in the order of Moments::sums
};

}  // namespace sotto
