#include "base/grid.h"

#include <cmath>

#include "base/check.h"

namespace sotto {

Grid Grid::for_sensitivity(double sensitivity) {
  check(std::isfinite(sensitivity) && sensitivity > 0, "a sensitivity is finite and positive");
  return {std::ilogb(sensitivity) - 40};
}

Integer Grid::index(double value) const {
  check(std::isfinite(value), "what goes on the grid is finite");
  Rational scaled(value);
  scaled /= step();
  const Rational half(1, 2);
  return sgn(scaled) >= 0 ? floor(scaled + half) : ceiling(scaled - half);
}

double Grid::value(const Integer& index, const Integer& divisor) const {
  Rational exact(index, divisor);
  exact.canonicalize();
  return nearest_double(exact * step());
}

}  // namespace sotto
