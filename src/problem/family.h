#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "problem/quadratic.h"

namespace sotto {

// Limits of a random family.
inline constexpr std::size_t kMaxFamilyParties = 1'000'000;
inline constexpr std::size_t kMaxFamilySize = 512;

// The paper's random problems, `family = "paper"` in a study:
//
//     A = Q diag(200 … 600) Qᵀ  (evenly spread; 400 where m = 1),  ‖x*‖ = 1,  B = −Ax*
//     A_i = A^½ D_i A^½,  D_i = S^−½ W_i S^−½ > 0,  S = ΣW_i,  W_i ~ Wishart(16m)
//     B_i = B/n + r_i,  Σr_i = 0,  E‖r_i‖² ≈ (‖B‖/n)²
//
// Q and x* are set by (m, seed) alone, so ΣA_i = A, ΣB_i = B and the minimiser
// do not change with the number of parties. E-family-size for a size outside
// [1, kMaxFamilySize] or a number of parties outside [1, kMaxFamilyParties].
[[nodiscard]] Result<std::vector<Quadratic>> paper_family(std::size_t parties, std::size_t m,
                                                          std::uint64_t seed);

}  // namespace sotto
