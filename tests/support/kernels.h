#pragma once

// The kernels that run here, and what they must compute: GMP's plain definition.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "paillier/kernels/kernel.h"
#include "paillier/primes.h"

namespace sotto::paillier::kernel_test {

struct KernelMaker {
  std::string name;
  std::function<std::unique_ptr<Kernel>(const Integer&)> make;
};
inline void PrintTo(const KernelMaker& maker, std::ostream* out) {
  *out << maker.name;
}

inline std::vector<KernelMaker> kernel_makers() {
  std::vector<KernelMaker> makers;
  for (const std::string_view name : available_kernels()) {
    makers.push_back(
        {std::string(name), [name](const Integer& n) { return make_kernel(n, name); }});
  }
  return makers;
}

// SOTTO_KERNEL for one scope.
class ForcedKernel {
 public:
  explicit ForcedKernel(const char* name) {
    if (const char* before = std::getenv("SOTTO_KERNEL")) before_ = before;
    setenv("SOTTO_KERNEL", name, 1);
  }
  ~ForcedKernel() {
    if (before_.empty()) {
      unsetenv("SOTTO_KERNEL");
    } else {
      setenv("SOTTO_KERNEL", before_.c_str(), 1);
    }
  }
  ForcedKernel(const ForcedKernel&) = delete;
  ForcedKernel& operator=(const ForcedKernel&) = delete;

 private:
  std::string before_;
};

// Odd, of exactly `bits` bits, above 1.
inline Integer random_odd(std::size_t bits, RandomSource& random) {
  Integer n = random_bits(bits, random);
  mpz_setbit(n.get_mpz_t(), 0);
  mpz_setbit(n.get_mpz_t(), bits - 1);
  return n;
}

inline Integer power_mod(const Integer& base, const Integer& exponent, const Integer& modulus) {
  Integer result;
  mpz_powm(result.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), modulus.get_mpz_t());
  return result;
}

// `rounds` batches of eight: every operation once per number, so 8·rounds cases of each.
inline void compare_with_definition(const KernelMaker& maker, std::size_t bits, int rounds,
                                    std::uint64_t seed, std::size_t max_exponent_bits) {
  SeededRandom random(seed);
  constexpr std::size_t kCount = 8;
  for (int round = 0; round < rounds; ++round) {
    const Integer n = random_odd(bits, random);
    const Integer square = n * n;
    const auto kernel = maker.make(n);
    IntegerVector x;
    IntegerVector y;
    for (std::size_t k = 0; k < kCount; ++k) {
      x.push_back(random.below(square));
      y.push_back(random.below(square));
    }
    const std::size_t exponent_bits = 1 + random.below(max_exponent_bits);
    const Integer e = random_bits(exponent_bits, random);
    IntegerVector exponents;
    for (std::size_t k = 0; k < kCount; ++k) {
      exponents.push_back(random_bits(exponent_bits, random));
    }
    const Residues left = kernel->load(x);
    const IntegerVector products = kernel->store(kernel->multiply(left, kernel->load(y)));
    const IntegerVector powers = kernel->store(kernel->power(left, e, exponent_bits));
    const auto table = kernel->fixed_base(x[0], exponent_bits);
    const IntegerVector fixed = kernel->store(table->power(exponents));
    const std::vector<LimbPair> pairs = kernel->store_pairs(left);
    for (std::size_t k = 0; k < kCount; ++k) {
      ASSERT_EQ(products[k], Integer(x[k] * y[k] % square)) << "seed " << seed;
      ASSERT_EQ(powers[k], power_mod(x[k], e, square)) << "seed " << seed;
      ASSERT_EQ(fixed[k], power_mod(x[0], exponents[k], square)) << "seed " << seed;
      const Integer low = integer_of(pairs[k].low);
      const Integer high = integer_of(pairs[k].high);
      ASSERT_EQ(Integer(low + high * n), x[k]) << "seed " << seed;
      ASSERT_LT(low, n);
      ASSERT_LT(high, n);
    }
  }
}

}  // namespace sotto::paillier::kernel_test
