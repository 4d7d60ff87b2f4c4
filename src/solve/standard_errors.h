#pragma once

#include <Eigen/Core>

#include "base/result.h"
#include "solve/noisy_sums.h"

namespace sotto {

// θ̃ = Â⁻¹b̂ and how far it is from the truth. The errors belong to θ̃ and never
// to the shrunk θ of another estimator.
struct PlugInErrors {
  Eigen::VectorXd theta;
  Eigen::VectorXd standard_error;
  Eigen::MatrixXd covariance;
  double residual_variance = 0;
};

// Standard errors that count the privacy noise, from the released sums alone:
//
//     s²  = max(ĉ − θ̃ᵀb̂, 1e-4·N)/N
//     Cov = Â⁻¹[s²Â + σ_B²I + K]Â⁻¹
//     K   = Cov(Eθ̃) = (σ_A²/2)(‖θ̃‖²I + θ̃θ̃ᵀ)              shape kSvec
//                     σ_A²(‖θ̃‖²I + θ̃θ̃ᵀ − diag(θ̃∘θ̃))      shape kEntries
//
// ĉ is the released Σy², N the number of rows (positive; may be an estimate).
// E-errors-noise where λ_min(Â) < 2σ√d, σ the invariant_sigma(): then E is not
// small beside Â, and the expansion behind the formula does not hold.
// Proof: docs/proofs/standard_errors.md.
[[nodiscard]] Result<PlugInErrors> plug_in_errors(const NoisySums& sums, double sum_of_squares,
                                                  double rows);

}  // namespace sotto
