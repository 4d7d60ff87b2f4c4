#include "moments/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/integer.h"
#include "data/row_weight.h"

// The formulas of docs/proofs/record_sensitivity.md, and where they hold.
namespace sotto {
namespace {

// Hundredths of Δ², as in the header's table.
struct Hundredths {
  int n, s, g, t, q, c;
};

Hundredths bounded_hundredths(bool intercept, bool squares) {
  if (!intercept) return {.n = 0, .s = 0, .g = 25, .t = 0, .q = 54, .c = squares ? 21 : 0};
  if (!squares) return {.n = 7, .s = 14, .g = 25, .t = 14, .q = 40, .c = 0};
  return {.n = 5, .s = 14, .g = 25, .t = 12, .q = 40, .c = 4};
}

double below(const Rational& value) {
  double found = nearest_double(value);
  while (Rational(found) > value) found = std::nextafter(found, 0.0);
  return found;
}

}  // namespace

double largest_replace_v2(double w2) {
  if (w2 <= 2) return w2 + w2 * w2 / 2;
  return std::min(3 * w2 - 2, (11 + 5 * std::sqrt(5.0)) / 8 * w2);
}

std::string to_string(Unit unit) {
  return unit == Unit::kRecord ? "record" : "entry";
}

std::optional<Unit> unit_from(std::string_view name) {
  for (const Unit unit : {Unit::kRecord, Unit::kEntry}) {
    if (to_string(unit) == name) return unit;
  }
  return std::nullopt;
}

std::string to_string(Neighbours neighbours) {
  return neighbours == Neighbours::kReplace ? "replace" : "add-remove";
}

std::optional<Neighbours> neighbours_from(std::string_view name) {
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    if (to_string(neighbours) == name) return neighbours;
  }
  return std::nullopt;
}

Result<double> record_sensitivity(Neighbours neighbours, RecordWeights weights) {
  const auto [w2, v2] = weights;
  const bool numbers = std::isfinite(w2) && std::isfinite(v2) && w2 >= 0 && v2 >= 0;
  if (!numbers) {
    return bad_input("E-record-weights", fmt::format("weights w² = {} and v² = {}", w2, v2),
                     "finite weights that are not negative");
  }
  if (neighbours == Neighbours::kAddRemove) return std::sqrt(1 + w2 + v2);
  if (v2 > largest_replace_v2(w2)) {
    return bad_input("E-record-weights",
                     fmt::format("v² = {} with w² = {} where a row is replaced", v2, w2),
                     fmt::format("v² up to {:.6g} for this w²", largest_replace_v2(w2)));
  }
  return w2 <= 2 ? (2 + w2) / std::sqrt(2.0) : 2 * std::sqrt(w2);
}

EntryShares bounded_shares(std::size_t feature_columns, bool intercept, bool squares_released) {
  const Hundredths in = bounded_hundredths(intercept, squares_released);
  const Rational radius_square(weighting_radius_square(feature_columns));
  const auto share = [](int hundredths, const Rational& divisor) {
    return below(Rational(hundredths) / (100 * divisor));
  };
  return {.n = share(in.n, 1),
          .s = share(in.s, radius_square),
          .g = share(in.g, radius_square * radius_square),
          .t = share(in.t, 1),
          .q = share(in.q, radius_square),
          .c = share(in.c, 1)};
}

double bounded_sensitivity(Neighbours neighbours, bool intercept, bool squares_released) {
  if (neighbours == Neighbours::kAddRemove) return 1;
  // r(x) = (a₀ + a₁x + a₂x²)/(p₀ + p₁x + p₂x²); r' = 0 is a quadratic equation with a₂p₁ < a₁p₂.
  // Without an intercept, leaving Σy² out only takes an entry from φ.
  const Hundredths in = bounded_hundredths(intercept, squares_released || !intercept);
  const double a0 = in.t - in.n - in.c;
  const double a1 = in.q - in.s;
  const double a2 = -in.g;
  const double p0 = RowWeightPolynomial::kConstant;
  const double p1 = RowWeightPolynomial::kLinear;
  const double p2 = RowWeightPolynomial::kSquare;
  const double square = a1 * p2 - a2 * p1;
  const double linear = 2 * (a0 * p2 - a2 * p0);
  const double constant = a1 * p0 - a0 * p1;
  const double x = (std::sqrt(linear * linear + 4 * square * constant) - linear) / (2 * square);
  const double r = (a0 + x * (a1 + a2 * x)) / (p0 + x * (p1 + p2 * x));
  constexpr double kUp = 1 + 1e-14;  // far above what the few operations round off
  return std::sqrt(2 * (1 + r)) * kUp;
}

}  // namespace sotto
