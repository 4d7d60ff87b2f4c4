#pragma once

#include <memory>
#include <span>

#include "base/integer.h"
#include "paillier/kernel.h"
#include "paillier/lane_arithmetic.h"
#include "paillier/lane_modulus.h"

namespace sotto {

// The kernel on lanes of any kind: those of a processor, or emulated ones in tests.
[[nodiscard]] std::unique_ptr<Kernel> make_lane_kernel(const Integer& n,
                                                       const LaneArithmetic& arithmetic);

// x^e modulo p² and modulo q² at the same time, p in one half of the lanes and q in the
// other: numbers that fill no more than half of the lanes take half as long as with a kernel
// for p and one for q; many take the same.
class TwinKernel {
 public:
  TwinKernel(const Integer& p, const Integer& q, const LaneArithmetic& arithmetic);

  // A number modulo n²: low + high·n with low, high in [0, n).
  struct Pair {
    Integer low;
    Integer high;
  };
  struct Powers {
    Pair p;
    Pair q;
  };
  // numbers ≥ 0 of any size, not reduced before. Exponents are secret and have at most
  // exponent_bits bits; time and memory accesses depend on sizes only.
  [[nodiscard]] std::vector<Powers> power(std::span<const Integer> numbers,
                                          const Integer& exponent_p, const Integer& exponent_q,
                                          std::size_t exponent_bits) const;

 private:
  const LaneArithmetic& arithmetic_;
  PairModulus modulus_;
};

}  // namespace sotto
