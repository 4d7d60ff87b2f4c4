#pragma once

#include "solve/fit.h"

// Errors of coefficients where a person may have several rows.
namespace sotto::solve {

// k of `[privacy] person = { column = "id", rows = k }`: a person's rows together count as at most
// k. 1 where rows are nobody's.
[[nodiscard]] double rows_together(const Schema& schema);

// Rows of one person need not be independent of each other; how much they depend is not released.
// Whatever it is, with f² ≤ k/n what each of a person's n rows counts, e the rows' own errors of
// variance σ², and d coefficients of N rows,
//
//     Cov Σf²x·e ⪯ k·σ²·Σf²xxᵀ,   E Σf²(residual)² ≥ σ²(N − k·d),
//
// so the sampling part of every variance is taken k times, σ² from N − k·d degrees of freedom, and
// its own uncertainty as that of N/k rows. The same numbers for k = 1.
// E-errors-rows where N − k·d < 1. Proof: docs/proofs/person.md.
[[nodiscard]] Result<PlugInErrors> with_dependent_rows(PlugInErrors errors, double rows, double k);

}  // namespace sotto::solve
