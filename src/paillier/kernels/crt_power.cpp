// Powers modulo the squares of both primes of a key, by the Chinese remainder theorem two of half
// the length: in kernels of their own, or a few numbers side by side in the same lanes.
#include "paillier/kernels/crt_power.h"

#include <algorithm>

#include "base/parallel.h"
#include "paillier/kernels/lane_power.h"

namespace sotto::paillier {
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

CrtLanes::CrtLanes(const Integer& p, const Integer& q, const LaneArithmetic& arithmetic)
    : arithmetic_(arithmetic), modulus_(HalfAndHalf(p, q).lanes) {}

std::vector<CrtLanes::Powers> CrtLanes::power(std::span<const Integer> numbers,
                                              const Integer& exponent_p, const Integer& exponent_q,
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

CrtPower::Half::Half(const Integer& prime_number)
    : prime(limbs_of(prime_number)), kernel(make_kernel(prime_number)) {
  Integer squared = prime_number * prime_number;
  square = limbs_of(squared);
  wipe(squared);
}

CrtPower::CrtPower(const Integer& p, const Integer& q) : p_(p), q_(q) {
  if (const LaneArithmetic* arithmetic = lane_arithmetic(p_.kernel->name())) {
    lanes_ = std::make_unique<CrtLanes>(p, q, *arithmetic);
    width_ = arithmetic->width;
  }
}

std::vector<LimbPair> CrtPower::Half::power(std::span<const Limbs> numbers, const Integer& exponent,
                                            std::size_t exponent_bits) const {
  IntegerVector reduced;
  reduced.reserve(numbers.size());
  const WipedAtEnd wiped_reduced(reduced);
  for (const Limbs& x : numbers) reduced.push_back(integer_of(remainder(x, square)));
  return kernel->store_pairs(kernel->power(kernel->load(reduced), exponent, exponent_bits));
}

void CrtPower::power_in_lanes(std::span<const Limbs> numbers, const Integer& exponent_p,
                              const Integer& exponent_q, std::size_t exponent_bits,
                              Powers& powers) const {
  IntegerVector plain;
  plain.reserve(numbers.size());
  const WipedAtEnd wiped(plain);
  for (const Limbs& x : numbers) plain.push_back(integer_of(x));
  for (auto& [p, q] : lanes_->power(plain, exponent_p, exponent_q, exponent_bits)) {
    powers.p.push_back({limbs_of(p.low, p_.prime.size()), limbs_of(p.high, p_.prime.size())});
    powers.q.push_back({limbs_of(q.low, q_.prime.size()), limbs_of(q.high, q_.prime.size())});
    for (Integer* secret : {&p.low, &p.high, &q.low, &q.high}) wipe(*secret);
  }
}

CrtPower::Powers CrtPower::power(std::span<const Limbs> numbers, const Integer& exponent_p,
                                 const Integer& exponent_q, std::size_t exponent_bits) const {
  Powers powers;
  // What fills all lanes through the kernels, and a rest that fills no more than half side by side.
  const std::size_t rest = numbers.size() % width_;
  const bool beside = rest > 0 && 2 * rest <= width_;
  const auto whole = numbers.first(beside ? numbers.size() - rest : numbers.size());
  if (!whole.empty()) {
    const auto modulo = [&](std::size_t prime) {
      if (prime == 0) powers.p = p_.power(whole, exponent_p, exponent_bits);
      if (prime == 1) powers.q = q_.power(whole, exponent_q, exponent_bits);
    };
    // Many numbers are work for all cores in each kernel; a few, for one core in each.
    if (whole.size() > kLanes) {
      modulo(0);
      modulo(1);
    } else {
      parallel_for(2, 0, modulo);
    }
  }
  if (beside) {
    power_in_lanes(numbers.last(rest), exponent_p, exponent_q, exponent_bits, powers);
  }
  return powers;
}

}  // namespace sotto::paillier
