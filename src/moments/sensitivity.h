#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sotto {

// What may change without anyone being able to tell: what the privacy is of.
enum class Unit {
  kRecord,  // one person's row
  kEntry,   // one entry of θ, moved by at most μ: the paper's adjacency
};
[[nodiscard]] std::string to_string(Unit unit);  // "record", "entry"
[[nodiscard]] std::optional<Unit> unit_from(std::string_view name);

// What it means for two tables to differ in one person.
enum class Neighbours {
  kAddRemove,  // one has a row more
  kReplace,    // one row of either stands for another of the other
};
[[nodiscard]] std::string to_string(Neighbours neighbours);  // "add-remove", "replace"
[[nodiscard]] std::optional<Neighbours> neighbours_from(std::string_view name);

// Squares of the weights w and v in a row's contribution φ. No defaults: what a study
// releases with is released_weights() in study/study.h, and nobody else chooses.
struct RecordWeights {
  double w2;
  double v2;
};

// How far one person can move Σφ(x, y), in L2, where
//
//     φ(x, y) = (svec(xxᵀ), w·xy, v·y²),  ‖x‖₂ ≤ 1,  |y| ≤ 1,
//
// and svec takes the upper triangle with its off-diagonal entries times √2:
//
//     add/remove  √(1 + w² + v²)
//     replace     (2 + w²)/√2  for w² ≤ 2,   2w  for w² > 2
//
// Replace holds for v² ≤ largest_replace_v2(w²) and for no larger v; beyond, and
// for weights that are negative or not finite, E-record-weights.
// Proof: docs/proofs/record_sensitivity.md.
[[nodiscard]] Result<double> record_sensitivity(Neighbours neighbours, RecordWeights weights);

// The largest v² for which two rows with |y| = |y'| = 1 are the worst pair:
//
//     w² + w⁴/2                          for w² ≤ 2
//     min(3w² − 2, (11 + 5√5)/8 · w²)    for w² > 2
[[nodiscard]] double largest_replace_v2(double w2);

}  // namespace sotto
