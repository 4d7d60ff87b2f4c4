#pragma once

#include "paillier/kernels/kernel.h"
#include "paillier/kernels/lane_modulus.h"

// What a secret key is fast by: powers modulo p² and q² in place of one modulo N².
namespace sotto::paillier {

// x^e modulo p² and modulo q² at the same time, p in one half of the lanes and q in the
// other: numbers that fill no more than half of the lanes take half as long as with a kernel
// for p and one for q; many take the same.
class CrtLanes {
 public:
  CrtLanes(const Integer& p, const Integer& q, const LaneArithmetic& arithmetic);

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

// Powers modulo p² and modulo q² of the same numbers: what everybody with the secret key does.
// The primes do not leave it, and are wiped with it.
class CrtPower {
 public:
  CrtPower(const Integer& p, const Integer& q);

  struct Powers {
    std::vector<LimbPair> p;
    std::vector<LimbPair> q;
  };
  // Numbers on any number of limbs. The exponents are secret and below 2^exponent_bits.
  [[nodiscard]] Powers power(std::span<const Limbs> numbers, const Integer& exponent_p,
                             const Integer& exponent_q, std::size_t exponent_bits) const;

 private:
  struct Half {
    Limbs prime;
    Limbs square;
    std::unique_ptr<Kernel> kernel;
    explicit Half(const Integer& prime_number);
    [[nodiscard]] std::vector<LimbPair> power(std::span<const Limbs> numbers,
                                              const Integer& exponent,
                                              std::size_t exponent_bits) const;
  };
  void power_in_lanes(std::span<const Limbs> numbers, const Integer& exponent_p,
                      const Integer& exponent_q, std::size_t exponent_bits, Powers& powers) const;

  Half p_;
  Half q_;
  // Where there are lanes, a few numbers take both primes through them together.
  std::unique_ptr<CrtLanes> lanes_;
  std::size_t width_ = 1;  // lanes
};

}  // namespace sotto::paillier
