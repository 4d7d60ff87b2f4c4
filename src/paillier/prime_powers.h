#pragma once

#include <memory>
#include <span>
#include <vector>

#include "paillier/kernel.h"
#include "paillier/lane_kernel.h"
#include "paillier/limbs.h"

namespace sotto {

// Powers modulo p² and modulo q² of the same numbers: what everybody with the secret key does.
// The primes do not leave it, and are wiped with it.
class PrimePowers {
 public:
  PrimePowers(const Integer& p, const Integer& q);

  // x^e modulo the square of a prime, as low + high·prime, each on as many limbs as the prime.
  struct Pair {
    Limbs low;
    Limbs high;
  };
  struct Powers {
    std::vector<Pair> p;
    std::vector<Pair> q;
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
    void power(std::span<const Limbs> numbers, const Integer& exponent, std::size_t exponent_bits,
               std::vector<Pair>& powers) const;
  };
  void twin_power(std::span<const Limbs> numbers, const Integer& exponent_p,
                  const Integer& exponent_q, std::size_t exponent_bits, Powers& powers) const;

  Half p_;
  Half q_;
  // Where there are lanes, a few numbers take both primes through them together.
  std::unique_ptr<TwinKernel> twin_;
  std::size_t width_ = 1;  // lanes
};

}  // namespace sotto
