#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "base/random.h"

// Samples of public numbers: how to draw them, and what one says of them.
namespace sotto {

// The q-quantile of numbers in rising order, interpolated linearly (Hyndman and
// Fan's type 7, the default of R and NumPy): with h = (N−1)q,
//
//     x[⌊h⌋] + (h − ⌊h⌋)(x[⌊h⌋+1] − x[⌊h⌋])
//
// At least one number, none of them NaN; 0 ≤ q ≤ 1.
[[nodiscard]] double quantile(std::span<const double> sorted, double q);
// The same of numbers in any order, which is changed: without sorting all of them.
[[nodiscard]] double quantile_of_any(std::span<double> numbers, double q);

// Tukey's box. The whiskers end at the furthest sample within 1.5 interquartile
// ranges of the box, or at the box if there is none; what lies beyond is an outlier.
struct BoxStatistics {
  double low = 0;
  double q25 = 0;
  double median = 0;
  double q75 = 0;
  double high = 0;
  std::vector<double> outliers;  // in rising order
  std::size_t count = 0;         // samples that the box describes
  std::size_t skipped = 0;       // samples that are NaN or infinite
};

// Of the finite samples. Without any, count is 0 and the numbers are NaN.
[[nodiscard]] BoxStatistics box_statistics(std::span<const double> samples);

// P(F > f) for F with d₁ and d₂ degrees of freedom, all positive and finite.
[[nodiscard]] double f_tail(double f, double d1, double d2);

// N(0, 1) for Monte-Carlo estimates, the same for the same seed. It protects nobody:
// noise that does comes from privacy/.
class StandardNormal {
 public:
  explicit StandardNormal(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] double operator()() { return distribution_(random_); }

 private:
  SeededRandom random_;
  std::normal_distribution<double> distribution_;
};

}  // namespace sotto
