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

// ĉ, the released Σy², and the standard deviation of the noise on it.
struct SumOfSquares {
  double value = 0;
  double sigma = 0;
};

// Standard errors that count the privacy noise, from the released sums alone:
//
//     r   = ĉ − θ̃ᵀb̂,   σ_r² = σ_c² + 4σ_B²‖θ̃‖² + θ̃ᵀKθ̃,   z = r/σ_r
//     s²  = max(r + σ_r·φ(z)/Φ(z), 1e-4·N)/N
//     Cov = Â⁻¹[s²Â + σ_B²I + K]Â⁻¹
//     K   = Cov(Eθ̃) = (σ_A²/2)(‖θ̃‖²I + θ̃θ̃ᵀ)              shape kSvec
//                     σ_A²(‖θ̃‖²I + θ̃θ̃ᵀ − diag(θ̃∘θ̃))      shape kEntries
//
// r is the residual sum of squares but for noise of σ_r; what is added to it makes it the
// mean of what it may be, given that it is not negative: nothing where r is clearly above
// its noise, and otherwise more than r. N is the number of rows (positive; may be an estimate).
// E-errors-noise where λ_min(Â) < 2σ√d, σ the invariant_sigma(): then E is not
// small beside Â, and the expansion behind the formula does not hold.
// Proof: docs/proofs/standard_errors.md.
[[nodiscard]] Result<PlugInErrors> plug_in_errors(const NoisySums& sums, SumOfSquares squares,
                                                  double rows);

}  // namespace sotto
