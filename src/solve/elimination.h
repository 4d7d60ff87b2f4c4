#pragma once

#include <cstddef>
#include <span>

// Small symmetric systems that are far from singular, without a spectrum: what a simulation solves
// a million times.
namespace sotto::solve {

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

}  // namespace sotto::solve
