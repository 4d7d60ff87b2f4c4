#pragma once

#include <cstdint>
#include <limits>
#include <random>

#include "base/random.h"

namespace sotto {

// N(0, 1) for Monte-Carlo estimates of public numbers, the same for the same seed.
// It protects nobody: noise that does comes from privacy/.
class StandardNormal {
 public:
  explicit StandardNormal(std::uint64_t seed) : bits_(seed) {}
  [[nodiscard]] double operator()() { return distribution_(bits_); }

 private:
  class Bits {
   public:
    using result_type = std::uint64_t;
    explicit Bits(std::uint64_t seed) : random_(seed) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() { return random_.bits64(); }

   private:
    SeededRandom random_;
  };

  Bits bits_;
  std::normal_distribution<double> distribution_;
};

}  // namespace sotto
