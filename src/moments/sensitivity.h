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

// Squares of what each kind of sum is multiplied by in a row's contribution φ, with (1, u, y) the
// row as it stands in the sums. No defaults: what a study releases with is released_shares() in
// study/study.h, and nobody else chooses.
struct EntryShares {
  double n;  // Σ1
  double s;  // Σu_k
  double g;  // Σu_k²; Σu_j·u_k has twice as much
  double t;  // Σy
  double q;  // Σu_k·y
  double c;  // Σy²; 0: it stays at home
};

// Squares of the weights w and v in φ for rows in the unit ball.
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

// The same as shares: 1, 2, 1, w², w², v². The intercept is an entry of x as any other.
[[nodiscard]] constexpr EntryShares ball_shares(RecordWeights weights) {
  return {.n = 1, .s = 2, .g = 1, .t = weights.w2, .q = weights.w2, .c = weights.v2};
}

// What is released with Weighting::kBounded, of rows √w·(1, u, y), R² and w as in
// data/row_weight.h. In hundredths of Δ²:
//
//                                N    s·R²  g·R⁴   t    q·R²   c
//     with an intercept          5     14    25    12    40    4
//     … and Σy² at home          7     14    25    14    40    –
//     without an intercept       –      –    25     –    54   21
//     … and Σy² at home          –      –    25     –    54    –
//
// In each row N + t + c ≤ 21, s + q = 54 and g = 25, so that for |y| ≤ 1
//
//     ‖φ‖² = w²[N + sx + gx² + (t + qx)y² + cy⁴] ≤ w²(0.21 + 0.54x + 0.25x²) = 1.
//
// Rounded down: noise of σ/√share is then never too little.
[[nodiscard]] EntryShares bounded_shares(std::size_t feature_columns, bool intercept,
                                         bool squares_released);

// How far one row moves Σφ then, for any number of columns:
//
//     add/remove  1
//     replace     √(2(1 + r)),  r = max_x (t − N − c + (q − s)x − gx²)/(0.21 + 0.54x + 0.25x²)
//
// 1.562311253246 with an intercept, 1.643696483659 with Σy² at home; 1.470975941080 without an
// intercept, and the same with Σy² at home, since the worst pair has y² = y'². Rounded up. On the
// grid too, without any allowance.
// Proof: docs/proofs/record_sensitivity.md.
[[nodiscard]] double bounded_sensitivity(Neighbours neighbours, bool intercept,
                                         bool squares_released);

}  // namespace sotto
