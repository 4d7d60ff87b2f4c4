#pragma once

#include <string>
#include <vector>

#include "run/refit/refit.h"

namespace sotto {

// A release in which columns stand that are sums of released ones, as `refit` is asked for them:
//
//     --target "kwh - 0.3*area_m2"   --features "income + rent,log(x) - log(y)"
//
// Written as terms of a study are; each part is a released number, by its name, times a number.
// With z = Σ a_k·z_k in the release's units, where every released column is part of one new column
// at most, the entries of Σzzᵀ stay independent, and for different columns i and j
//
//     M̂_ij = ΣΣ a_k·b_l·M̂_kl,   sd_ij² = ΣΣ a_k²·b_l²·sd_kl²
//     sd_ii² = Σ a_k⁴·sd_kk² + Σ_{k<l} 4·a_k²·a_l²·sd_kl².
//
// Columns that become part of another are there no longer. Proof: docs/proofs/refit.md.
// The release itself where no word is such a sum. E-refit-column: a part is no released number.
// E-refit-combine: a column would be used twice, the study's target inside a feature, or a constant
// in a model without intercept.
[[nodiscard]] Result<Release> combine_columns(const Release& release, const ModelWords& words);

}  // namespace sotto
