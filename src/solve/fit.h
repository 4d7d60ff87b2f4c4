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
  Eigen::MatrixXd sampling_covariance;  // s²Â⁻¹: what of it is not privacy noise
  double residual_sum = 0;              // r, without bias; noise may make it negative
  double residual_variance = 0;         // s²
  double residual_variance_sd = 0;      // how uncertain s² is, by rows and noise
  double noise_margin = 0;              // λ_min(Â) over the limit below which errors are refused
  double log_det_noiseless = 0;         // ln det s²Â⁻¹, what ln det Cov would be without noise
};

// Satterthwaite's, of a variance of which the share ρ hangs on s²: 2s⁴/(ρ²·Var s²), infinite from
// kNormalFrom on.
inline constexpr double kNormalFrom = 1e6;
[[nodiscard]] double degrees_of_freedom(const PlugInErrors& errors, double sampling_share);

// ĉ, the released Σy², and the standard deviation of the noise on it.
struct SumOfSquares {
  double value = 0;
  double sigma = 0;
};

// Standard errors that count the privacy noise, from the released sums alone:
//
//     r   = ĉ − θ̃ᵀb̂ + tr(Â⁻¹(diag σ_B² + K)),   σ_r² = σ_c² + 4Σσ_B²θ̃² + θ̃ᵀKθ̃
//     s²  = E[R | r]/(N − d),   r ~ N(R, σ_r²), R^¼ uniform on R ≥ 0
//     Cov = Â⁻¹[s²Â + diag σ_B² + K]Â⁻¹,   K = Cov(Eθ̃) (noise_seen_through)
//     Var s² = 2s⁴/(N − d) + Var[R | r]/(N − d)²
//
// r is the residual sum of squares R but for noise of σ_r; what is added to ĉ − θ̃ᵀb̂ is what θ̃
// has taken from it by following the noise. N is the number of rows (positive; may be an estimate).
// E-errors-noise where λ_min(Â) < 2σ√d, σ the invariant_sigma(): then E is not small beside Â, and
// the expansion behind the formula does not hold. Where entries have noise of their own, columns
// are divided by √sd_kk first, so that one noisy column does not speak for all.
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
  // A noisy number of rows; needs an intercept, and rows that are not weighted.
  std::optional<double> rows;
  std::optional<Explained> explained;
  std::vector<std::string> warnings;
  Eigen::MatrixXd covariance;  // of the unshrunk coefficients in own units; 0×0 without errors
  double residual_sd = 0;      // in own units, with errors
};

// What is public about a table's sums, and what is to be made of them.
struct FitTerms {
  Schema schema;
  EntryShares shares;  // of what was released
  Estimator estimator = Estimator::kNoiseAware;
  NamedSettings settings = {};  // the estimator's
  double sigma = 0;             // of the noise on an entry of share 1
};

// What a run has released, from the sums that it leaves: noise of σ/√share on every entry.
[[nodiscard]] Release release_of(const FitTerms& terms, std::span<const double> sums);

struct FitMethod {
  Estimator estimator = Estimator::kNoiseAware;
  double ridge = 0;                            // λ of Estimator::kRidge
  std::vector<Eigen::Index> instruments = {};  // of Estimator::kTwoStage: columns of the release
  NamedSettings settings = {};                 // of an estimator with keys
};

// N = Â₀₀/s², since x₀ = s in every row; of weighted rows typical_weight()'s. Rows that were
// shortened have less, so then this is too low, and s² below it too high: the careful side. None
// without an intercept.
[[nodiscard]] std::optional<double> noisy_rows(const Release& release);

// The same, where it can be used: E-errors-rows.
[[nodiscard]] Result<double> rows_for_errors(const Release& release);

// table_sums() with moments and noise divided by the typical weight w̄ of a row: Σw²xxᵀ, which is
// what rows drawn anew make of Σwxxᵀ, is about w̄·Σwxxᵀ, so that errors and tests of weighted rows
// are those of unweighted ones from these sums. Proof: docs/proofs/standard_errors.md.
[[nodiscard]] TableSums sums_for_errors(const Release& release, const Selection& selection);

// θ of a table's sums. The one place where the estimator "noise-aware" becomes the one for weighted
// rows (centred.h) or the one for others (estimators.h).
[[nodiscard]] Result<Estimate> estimate_table(const FitMethod& method, const TableSums& table);

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

// N − d, at least 1: E-errors-rows.
[[nodiscard]] Result<double> residual_freedom(double rows, Eigen::Index coefficients);

// s² of a residual sum of squares r whose noise has the standard deviation `noise`, over so many
// degrees of freedom; and its standard deviation. As in plug_in_errors.
struct ResidualVariance {
  double value = 0;
  double sd = 0;
};
[[nodiscard]] ResidualVariance residual_variance(double r, double noise, double freedom);

// θ of the selection's columns in own units, with the errors or why there are none.
[[nodiscard]] Fit in_own_units(const Release& release, const Selection& selection,
                               const Eigen::VectorXd& theta, const Result<PlugInErrors>& errors);

}  // namespace solve

}  // namespace sotto
