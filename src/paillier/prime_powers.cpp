#include "paillier/prime_powers.h"

#include "base/parallel.h"

namespace sotto {

PrimePowers::Half::Half(const Integer& prime_number)
    : prime(limbs_of(prime_number, mpz_size(prime_number.get_mpz_t()))),
      kernel(make_kernel(prime_number)) {
  Integer squared = prime_number * prime_number;
  square = limbs_of(squared, mpz_size(squared.get_mpz_t()));
  wipe(squared);
}

PrimePowers::PrimePowers(const Integer& p, const Integer& q) : p_(p), q_(q) {
  if (const LaneArithmetic* arithmetic = lane_arithmetic(p_.kernel->name())) {
    twin_ = std::make_unique<TwinKernel>(p, q, *arithmetic);
    width_ = arithmetic->width;
  }
}

void PrimePowers::Half::power(std::span<const Limbs> numbers, const Integer& exponent,
                              std::size_t exponent_bits, std::vector<Pair>& powers) const {
  IntegerVector reduced;
  reduced.reserve(numbers.size());
  const WipedAtEnd wiped_reduced(reduced);
  for (const Limbs& x : numbers) reduced.push_back(integer_of(remainder(x, square)));
  Residues bases = kernel->load(reduced);
  const WipedAtEnd wiped_bases(bases);
  Residues results = kernel->power(bases, exponent, exponent_bits);
  const WipedAtEnd wiped_results(results);
  auto [low, high] = kernel->store_pairs(results);
  const WipedAtEnd wiped_low(low);
  const WipedAtEnd wiped_high(high);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    powers.push_back({limbs_of(low[k], prime.size()), limbs_of(high[k], prime.size())});
  }
}

void PrimePowers::twin_power(std::span<const Limbs> numbers, const Integer& exponent_p,
                             const Integer& exponent_q, std::size_t exponent_bits,
                             Powers& powers) const {
  IntegerVector plain;
  plain.reserve(numbers.size());
  const WipedAtEnd wiped(plain);
  for (const Limbs& x : numbers) plain.push_back(integer_of(x));
  for (auto& [p, q] : twin_->power(plain, exponent_p, exponent_q, exponent_bits)) {
    powers.p.push_back({limbs_of(p.low, p_.prime.size()), limbs_of(p.high, p_.prime.size())});
    powers.q.push_back({limbs_of(q.low, q_.prime.size()), limbs_of(q.high, q_.prime.size())});
    for (Integer* secret : {&p.low, &p.high, &q.low, &q.high}) wipe(*secret);
  }
}

PrimePowers::Powers PrimePowers::power(std::span<const Limbs> numbers, const Integer& exponent_p,
                                       const Integer& exponent_q, std::size_t exponent_bits) const {
  Powers powers;
  powers.p.reserve(numbers.size());
  powers.q.reserve(numbers.size());
  // What fills all lanes through the kernels, and a rest that fills no more than half as twins.
  const std::size_t rest = numbers.size() % width_;
  const bool twins = rest > 0 && 2 * rest <= width_;
  const auto whole = numbers.first(twins ? numbers.size() - rest : numbers.size());
  if (!whole.empty()) {
    const auto modulo = [&](std::size_t prime) {
      const Half& half = prime == 0 ? p_ : q_;
      half.power(whole, prime == 0 ? exponent_p : exponent_q, exponent_bits,
                 prime == 0 ? powers.p : powers.q);
    };
    // Many numbers are work for all cores in each kernel; a few, for one core in each.
    if (whole.size() > kLanes) {
      modulo(0);
      modulo(1);
    } else {
      parallel_for(2, 0, modulo);
    }
  }
  if (twins) {
    twin_power(numbers.last(rest), exponent_p, exponent_q, exponent_bits, powers);
  }
  return powers;
}

}  // namespace sotto
