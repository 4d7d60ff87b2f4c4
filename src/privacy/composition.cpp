// κ is known to one part in 10¹², and 2⁻⁴⁰ is nine tenths of that: a shift that is that much longer
// and a δ that is that much smaller cover what floating point loses on the way.
#include "privacy/composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace sotto {
namespace {

constexpr double kLess = 1 - 0x1p-39;

}  // namespace

double composed_epsilon(double squares, double delta) {
  check(squares >= 0, "squares are not negative");
  if (squares == 0) return 0;
  if (!(delta > 0)) return std::numeric_limits<double>::infinity();
  check(delta < 1, "δ is below 1");
  return rounded_up(gaussian_epsilon(rounded_up(rounded_up(std::sqrt(squares))), kLess * delta));
}

double largest_squares(double epsilon, double delta) {
  if (!(epsilon > 0) || !(delta > 0)) return 0;
  const double shift = gaussian_shift(epsilon, delta);
  return std::min(shift * shift, std::numeric_limits<double>::max());
}

double squares_at_most(const Budget& budget) {
  const double shift = rounded_up(rounded_up(gaussian_shift(budget)));
  return shift * shift;
}

double discrete_excess(double draws) {
  check(draws >= 0, "draws are counted");
  constexpr double kPoisson = 1.1e-34;  // h
  return rounded_up(std::expm1(9 * draws * kPoisson));
}

}  // namespace sotto
