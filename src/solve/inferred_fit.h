#pragma once

#include "solve/inference.h"

// A fit with all that can be said of it, and the same for models that are no selection of a
// release's columns as they stand: two-stage, through the origin, with other base levels.
namespace sotto {

// What a model file is made of.
struct InferredFit {
  Schema schema;  // the model's: how `predict` encodes a row
  Fit fit;
  std::vector<Eigen::Index> entries;  // of the schema that have a coefficient; others are 0
  Result<Inference> inference;        // of `entries`, in their order
};

// A fit of the selection by the method, and what infer() says of it. Two-stage: t and p are
// asymptotic (infinite degrees of freedom), R² and F are not stated.
[[nodiscard]] Result<InferredFit> infer_fit(const Release& release, const Selection& selection,
                                            const FitMethod& method);

// The model y = Σ_k β_k·column_k in own units, without a constant, from a release that has one. The
// columns are centred there, but v = middle + half·z/s is linear in z and the intercept's z₀ = s.
// With β = Mθ + m (Encoding::to_own_units), β₀ = 0 says
//
//     θ = θ₀ + Lγ,   θ₀ = −M⁻¹m,   L = M⁻¹ without its first column,   γ = (β₁, β₂, …)
//
// and with L = QR, a = (θ, −1), E the noise on the moments of (X, y):
//
//     η = (QᵀÂQ)⁻¹Qᵀ(b̂ − Âθ₀),   Cov η = G⁻¹[s²G + Qᵀ·Cov(Ea)_XX·Q]G⁻¹,   G = QᵀÂQ,   γ = R⁻¹η
//
// R² is about 0, as in every regression without a constant. No estimator but this one: it is the
// least-squares solution, with each entry's noise followed exactly. Refused as plug_in_errors(),
// with G in place of Â; of weighted rows as in sums_for_errors(). E-refit-singular;
// E-refit-features: nothing but the intercept is selected, or the release has none. Proof:
// docs/proofs/refit.md.
[[nodiscard]] Result<InferredFit> through_origin(const Release& release,
                                                 const Selection& selection);

// A level that others are to be compared with.
struct BaseLevel {
  std::string column;
  std::string level;
};

// The same model in other words: level b of a column with levels l becomes its base,
//
//     β₀' = β₀ + β_b,   β_l' = β_l − β_b,   β_old base' = −β_b,
//
// so β' = Tβ and Cov β' = T·Cov β·Tᵀ, the noise included, and every prediction stays as it is.
// E-refit-base: no such column or level, no intercept, or not all of its levels are in the model.
[[nodiscard]] Result<InferredFit> with_base(InferredFit model, const BaseLevel& base);

namespace solve {

// t, p and interval of one coefficient whose variance is `variance`, `sampling` of it from rows.
// With ν degrees of freedom of s², ν·(variance/sampling)² of them are the coefficient's
// (Satterthwaite: the noise's part is known), infinitely many from kNormalFrom on.
[[nodiscard]] CoefficientTest coefficient_test(Eigen::Index entry, double value, double variance,
                                               double sampling, double residual_freedom);

}  // namespace solve

}  // namespace sotto
