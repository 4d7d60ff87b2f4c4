#pragma once

#include <cstddef>
#include <span>

#include "solve/elimination.h"

namespace sotto {

// Columns up to which exact_answer() takes no memory.
inline constexpr std::size_t kMaxExactAnswer = solve::kMaxElimination;

// x of Âx = −B̂ for the sums θ = [vech(Â); B̂] of an m×m problem, as exact_solution() finds it, to
// the bit, and nothing else: what a simulation asks for a million times. False where that would
// return an error; x is then as it was. Precondition: 1 ≤ m ≤ kMaxExactAnswer.
[[nodiscard]] bool exact_answer(std::span<const double> sums, std::size_t m, std::span<double> x);

}  // namespace sotto
