#pragma once

#include <cstddef>
#include <vector>

#include "data/bounds.h"

namespace sotto {

// B-splines of a degree with public knots: piecewise polynomials B_0 … B_n on the bounds, n =
// knots + degree. They are 0 or more and add up to 1 everywhere, so for every value
//
//     ΣB_k² ≤ ΣB_k = 1,
//
// and a spline adds no more to a row's length than one number does, however many knots it has.
// B_0, which is 1 at the lower bound, is the base and left out: with an intercept it would be
// one column too many. Of degree 1, B_k is 1 at knot k and 0 at all others.
class SplineBasis {
 public:
  static constexpr std::size_t kMaxDegree = 3;

  // Knots strictly ascending inside the bounds; 1 ≤ degree ≤ kMaxDegree.
  SplineBasis(Bounds bounds, const std::vector<double>& knots, std::size_t degree);

  // n, how many values a number becomes.
  [[nodiscard]] std::size_t size() const { return ends_.size() - degree_ - 2; }

  // B_1 … B_n at `value` (in the bounds), to out[0], out[stride], …
  void evaluate(double value, double* out, std::size_t stride) const;

 private:
  std::size_t degree_ = 1;
  std::vector<double> ends_;  // knots, and each bound degree + 1 times
};

}  // namespace sotto
