#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "problem/quadratic.h"

namespace sotto {

// θ = [vech(A); B]: everything a party's problem consists of, each number once.
// vech takes A's upper triangle row by row. docs/proofs/theta.md has the proofs.

// p = m(m+3)/2, the number of θ's entries.
[[nodiscard]] std::size_t theta_size(std::size_t m);

// Where A's entry (row, column) stands in θ; all three count from 0, and either
// triangle may be named. Counting from 1, for c ≥ r, this is the paper's
//
//     (2m − r + 2)(r − 1)/2 + c − (r − 1).
//
// B's entry k stands at m(m+1)/2 + k.
[[nodiscard]] std::size_t theta_index(std::size_t m, std::size_t row, std::size_t column);

// Reads A's upper triangle only.
[[nodiscard]] std::vector<double> to_theta(const Quadratic& quadratic);

// The inverse of to_theta. `theta` has theta_size(m) entries.
[[nodiscard]] Quadratic from_theta(std::span<const double> theta, std::size_t m);

}  // namespace sotto
