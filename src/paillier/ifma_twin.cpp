#include <algorithm>

#include "base/check.h"
#include "paillier/ifma_kernel.h"
#include "paillier/ifma_power.h"

namespace sotto {
namespace {

constexpr std::size_t kNumbers = kLanes / 2;

// One value for the lanes of p, one for those of q; wiped with the scope.
struct HalfAndHalf {
  IntegerVector lanes;
  HalfAndHalf(const Integer& p, const Integer& q) : lanes(kNumbers, p) {
    lanes.insert(lanes.end(), kNumbers, q);
  }
  HalfAndHalf(const HalfAndHalf&) = delete;
  HalfAndHalf& operator=(const HalfAndHalf&) = delete;
  ~HalfAndHalf() { wipe(std::span(lanes)); }
};

}  // namespace

TwinKernel::TwinKernel(const Integer& p, const Integer& q, const LaneArithmetic& arithmetic)
    : arithmetic_(arithmetic), modulus_(HalfAndHalf(p, q).lanes) {}

std::vector<TwinKernel::Powers> TwinKernel::power(std::span<const Integer> numbers,
                                                  const Integer& exponent_p,
                                                  const Integer& exponent_q,
                                                  std::size_t exponent_bits) const {
  const LaneExponents exponents(HalfAndHalf(exponent_p, exponent_q).lanes, exponent_bits);
  const std::size_t limbs = modulus_.limbs();
  Vectors x(modulus_.pair_size());
  Vectors scratch(modulus_.scratch_size());
  const auto pair = [&](std::size_t lane) {
    return Pair{get_number(x.at(0), limbs, lane), get_number(x.at(limbs), limbs, lane)};
  };
  std::vector<Powers> powers;
  powers.reserve(numbers.size());
  for (std::size_t first = 0; first < numbers.size(); first += kNumbers) {
    const std::size_t count = std::min(kNumbers, numbers.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      modulus_.put(x.at(0), i, numbers[first + i]);
      modulus_.put(x.at(0), kNumbers + i, numbers[first + i]);
    }
    arithmetic_.multiply(modulus_.view(), x.at(0), x.at(0), modulus_.r_squared(), scratch.at(0));
    lane_power(arithmetic_, modulus_, x.at(0), x.at(0), exponents);
    arithmetic_.leave(modulus_.view(), x.at(0), x.at(0), scratch.at(0));
    for (std::size_t i = 0; i < count; ++i) powers.push_back({pair(i), pair(kNumbers + i)});
  }
  return powers;
}

std::unique_ptr<TwinKernel> make_ifma_twin_kernel(const Integer& p, const Integer& q) {
  check(ifma_supported(), "the IFMA kernel is made only where the processor has AVX512-IFMA");
  return std::make_unique<TwinKernel>(p, q, avx512_arithmetic());
}

}  // namespace sotto
