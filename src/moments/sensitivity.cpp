#include "moments/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The formulas of docs/proofs/record_sensitivity.md, and where they hold.
namespace sotto {

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

}  // namespace sotto
