#include <algorithm>

#include "base/check.h"
#include "paillier/lane_kernel.h"
#include "paillier/lane_power.h"

namespace sotto {
namespace {

constexpr std::size_t kNumbers = kLanes / 2;

// p p q q p p q q: two numbers fill the lower half of a vector, which may be all that an
// instruction takes.
constexpr std::size_t lane_of_p(std::size_t number) {
  return number + number / 2 * 2;
}
constexpr std::size_t lane_of_q(std::size_t number) {
  return lane_of_p(number) + 2;
}

// One value for the lanes of p, one for those of q; wiped with the scope.
struct HalfAndHalf {
  IntegerVector lanes;
  HalfAndHalf(const Integer& p, const Integer& q) : lanes(kLanes, p) {
    for (std::size_t i = 0; i < kNumbers; ++i) lanes[lane_of_q(i)] = q;
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
      modulus_.put(x.at(0), lane_of_p(i), numbers[first + i]);
      modulus_.put(x.at(0), lane_of_q(i), numbers[first + i]);
    }
    const std::size_t lanes = lane_of_q(count - 1) + 1;
    const LaneModulus view = modulus_.view(lanes);
    arithmetic_.multiply(view, x.at(0), x.at(0), modulus_.r_squared(), scratch.at(0));
    lane_power(arithmetic_, modulus_, lanes, x.at(0), x.at(0), exponents);
    arithmetic_.leave(view, x.at(0), x.at(0), scratch.at(0));
    for (std::size_t i = 0; i < count; ++i) {
      powers.push_back({pair(lane_of_p(i)), pair(lane_of_q(i))});
    }
  }
  return powers;
}

}  // namespace sotto
