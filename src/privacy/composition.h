#pragma once

#include <cstddef>

#include "privacy/budget.h"

// Many releases about the same people, taken together: squares of shifts add, and a sum of squares
// is one Gaussian release with that shift (docs/proofs/ledger.md). Each answer is rounded towards
// safety.
namespace sotto {

// The ε that releases with Σs² = `squares` keep together at δ, rounded up. Infinity where no ε will
// do, which is the case for every sum above 0 if δ ≤ 0.
[[nodiscard]] double composed_epsilon(double squares, double delta);

// κ̄_ε(δ)², the Σs² that keeps (ε, δ), to 2⁻³⁹; 0 where ε or δ is not above 0.
[[nodiscard]] double largest_squares(double epsilon, double delta);

// κ̄_ε(δ)² rounded up: what a Gaussian release may have cost of which only (ε, δ) is known.
[[nodiscard]] double squares_at_most(const Budget& budget);

// By how much discrete Gaussians may exceed κ, for `draws` of them: e^{3c} − 1 with c = 3·draws·h,
// h = 1.1·10⁻³⁴ (docs/proofs/discrete_gaussian.md, Claims 2 and 3). Rounded up.
[[nodiscard]] double discrete_excess(double draws);

}  // namespace sotto
