#pragma once

#include <cstddef>
#include <span>

// Small systems, as a simulation solves them a million times.
namespace sotto {
namespace solve {

// Columns up to which nothing is allocated.
inline constexpr std::size_t kMaxElimination = 16;

// x of Ax = b by A = LDLᵀ, A's upper triangle row by row: true where x solves, to working
// precision, a system that differs from this one by rounding alone (its residual is looked at),
// and A is not near a singular matrix, definite or not:
//
//     |λ_min| ≥ |det A|/|λ|_maxᵐ⁻¹ ≥ 2⁻⁴⁰·|λ|_max
//
// False otherwise; x is then anything. Precondition: b.size() == x.size() ≤ kMaxElimination.
[[nodiscard]] bool solve_by_elimination(std::span<const double> upper, std::span<const double> b,
                                        std::span<double> x);

}  // namespace solve

// Columns up to which exact_answer() takes no memory.
inline constexpr std::size_t kMaxExactAnswer = solve::kMaxElimination;

// x of Âx = −B̂ for the sums θ = [vech(Â); B̂] of an m×m problem, as exact_solution() finds it, to
// the bit, and nothing else: what a simulation asks for a million times. False where that would
// return an error; x is then as it was. Precondition: 1 ≤ m ≤ kMaxExactAnswer.
[[nodiscard]] bool exact_answer(std::span<const double> sums, std::size_t m, std::span<double> x);

// The same of many sums, which stand one after the other, eight at a time: solved[t] and x[t·m…]
// are what exact_answer() of the t-th gives, to the bit.
void exact_answers(std::span<const double> sums, std::size_t m, std::span<double> x,
                   std::span<char> solved);

}  // namespace sotto
