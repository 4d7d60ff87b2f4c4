#pragma once

#include <functional>

#include "solve/estimators.h"
#include "solve/release.h"

// From released sums to a model with error bars. All of it is post-processing: it costs no privacy.
namespace sotto {

// Half the width of a 95 % interval, in standard errors.
inline constexpr double kInterval95 = 1.959964;

// How much of the target's variance a fitted model explains, judged from the released sums alone.
struct Explained {
  double share = 0;  // 1 is perfect, 0 as good as the trivial prediction, below 0 worse
  double low = 0;    // 95 % interval
  double high = 0;
};

// How θ is made of sums.
using Fitter = std::function<Result<Estimate>(const NoisySums&)>;

// With G = T − RSS(θ) the gain over the trivial prediction (the target's mean, or
// 0 without an intercept), T = c − M, M = b₀²/A₀₀ (or 0):
//
//     G = 2θᵀb − θᵀAθ − M
//
// Â and b̂ in its place would flatter θ, which was fitted to their noise. Stein's
// identity says by how much:
//
//     Ĝ = 2θᵀb̂ − θᵀÂθ − 2σ_B²·div_b θ + σ_A²·div_A θθᵀ − (b̂₀² − σ_B²)/Â₀₀
//     Var ≈ 4σ_B²‖θ − m‖² + σ_A²‖θθᵀ − mmᵀ‖²,   m = (b̂₀/Â₀₀, 0, …),
//
// with every entry's own σ_B and σ_A where they differ, and
// the divergences by differences along random directions from a fixed seed.
// Nothing without Σy², and where T̂ or Â₀₀ is not clearly above its noise: then nothing can be said.
[[nodiscard]] std::optional<Explained> explained_variance(const Fitter& fitter,
                                                          const Eigen::VectorXd& theta,
                                                          const TableSums& table);

// θ̃ = Â⁻¹b̂ and how far it is from the truth. The errors belong to θ̃ and never
// to the shrunk θ of another estimator.
struct PlugInErrors {
  Eigen::VectorXd theta;
  Eigen::VectorXd standard_error;
  Eigen::MatrixXd covariance;
  double residual_variance = 0;
  double log_det_noiseless = 0;  // ln det s²Â⁻¹, what ln det Cov would be without noise
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
// (every entry's own σ_B and σ_A where they differ: noise_seen_through).
// r is the residual sum of squares but for noise of σ_r; what is added to it makes it the
// mean of what it may be, given that it is not negative: nothing where r is clearly above
// its noise, and otherwise more than r. N is the number of rows (positive; may be an estimate).
// E-errors-noise where λ_min(Â) < 2σ√d, σ the invariant_sigma(): then E is not
// small beside Â, and the expansion behind the formula does not hold.
// Proof: docs/proofs/standard_errors.md.
[[nodiscard]] Result<PlugInErrors> plug_in_errors(const NoisySums& sums, SumOfSquares squares,
                                                  double rows);

// The model that the released sums of a record-level run come to, the same at every party that
// holds the same sums.
struct Fit {
  struct Coefficient {
    std::string name;
    double value = 0;                // of the study's estimator, in own units
    std::optional<double> unshrunk;  // θ̃, what the standard error belongs to
    std::optional<double> standard_error;
  };

  std::vector<Coefficient> coefficients;
  Eigen::VectorXd theta;       // the same model in the unit ball
  bool singular = false;       // the sums do not tell the coefficients apart
  std::string errors_refused;  // why there are no standard errors; empty if there are
  std::optional<double> rows;  // a noisy number of rows; needs an intercept
  std::optional<Explained> explained;
  std::vector<std::string> warnings;
  Eigen::MatrixXd covariance;  // of the unshrunk coefficients in own units; 0×0 without errors
  double residual_sd = 0;      // in own units, with errors
};

// What is public about a table's sums, and what is to be made of them.
struct FitTerms {
  Schema schema;
  RecordWeights weights;  // w² and v² of what was released
  Estimator estimator = Estimator::kNoiseAware;
  double sigma = 0;  // of the noise on an entry of weight 1
};

// What a run has released, from the sums that it leaves: σ_A = σ on the diagonal, σ_B = σ/w, and
// Σy² σ/v.
[[nodiscard]] Release release_of(const FitTerms& terms, std::span<const double> sums);

struct FitMethod {
  Estimator estimator = Estimator::kNoiseAware;
  double ridge = 0;                            // λ of Estimator::kRidge
  std::vector<Eigen::Index> instruments = {};  // of Estimator::kTwoStage: columns of the release
};

// Â₀₀ = Σx₀² with x₀ = s in every row, so N = Â₀₀/s². Rows that were shortened have less, so then
// this is too low, and s² below it too high: the careful side. None without an intercept.
[[nodiscard]] std::optional<double> noisy_rows(const Release& release);

// The same, where it can be used: E-errors-rows.
[[nodiscard]] Result<double> rows_for_errors(const Release& release);

// plug_in_errors of a selection. E-refit-squares where the target's square stays at home,
// E-errors-rows, E-errors-noise.
[[nodiscard]] Result<PlugInErrors> model_errors(const Release& release, const Selection& selection);

// The one way from released sums to a model: of the study's own selection, and of any other.
[[nodiscard]] Result<Fit> fit_release(const Release& release, const Selection& selection,
                                      const FitMethod& method);

// Two-stage least squares. Z are the instruments, features among them as their own and the
// intercept always; W = (X, y, Z) all columns, a = (θ̃, −1, 0) the residual's direction:
//
//     P   = (HᵀG⁻¹H)⁻¹HᵀG⁻¹,   G = ẐᵀZ, H = ẐᵀX
//     θ̃   = P·ẐᵀY
//     Cov = P[s²G + Cov(Ea)_ZZ]Pᵀ
//
// E the noise on W's moments, s² from aᵀM̂a with its noise as in plug_in_errors. Errors are refused
// where the noise is not small beside G or the first stage. Proof: docs/proofs/refit.md.
// E-refit-instruments: fewer of them than features, or the target among them.
// E-refit-singular: instruments or first stage are.
[[nodiscard]] Result<Fit> two_stage(const Release& release, const Selection& selection,
                                    const std::vector<Eigen::Index>& instruments);

namespace solve {

// s² of a residual sum of squares r whose noise has the standard deviation `noise`.
[[nodiscard]] double residual_variance(double r, double noise, double rows);

// θ of the selection's columns in own units, with the errors or why there are none.
[[nodiscard]] Fit in_own_units(const Release& release, const Selection& selection,
                               const Eigen::VectorXd& theta, const Result<PlugInErrors>& errors);

}  // namespace solve

}  // namespace sotto
