#pragma once

#include <limits>

#include "solve/fit.h"
#include "solve/subsets.h"

// What a summary of a fitted model states: standard errors, t, p, intervals, residual standard
// deviation, R², F, in own units, with the privacy noise counted in. All of it is post-processing.
namespace sotto {

// One coefficient of θ̃ = Â⁻¹b̂, in own units. It is not the shrunk coefficient of `noise-aware`:
// errors and tests belong to θ̃ alone.
struct CoefficientTest {
  Eigen::Index entry = 0;  // among the entries of the selection's schema
  double value = 0;
  double standard_error = 0;
  // Satterthwaite's: N − d without privacy noise, more where noise of a known size is most of the
  // error, less where the noise on Σy² makes the residual variance uncertain. May be infinite.
  double degrees_of_freedom = std::numeric_limits<double>::infinity();
  double t = 0;    // value/standard_error
  double p = 1;    // two-sided: that the coefficient is 0
  double low = 0;  // 95 % interval
  double high = 0;
  double sampling_share = 1;  // of standard_error²: what rows would have without privacy noise
};

// R² and its adjusted form 1 − (1 − R²)(N − 1)/(N − d), with 95 % intervals. Of θ̃, about the
// target's mean (or 0, without an intercept). May be below 0 where noise makes it so.
struct Determination {
  Explained plain;
  Explained adjusted;
};

// All that can be said of one selection. Numbers that cannot be calibrated carry the reason in
// their place.
struct Inference {
  std::vector<CoefficientTest> coefficients;  // in the order of Selection::entries
  Eigen::MatrixXd covariance;                 // of their values, own units, same order
  Eigen::MatrixXd sampling_covariance;        // the part of it that is not privacy noise
  double residual_sd = 0;                     // own units of the target
  double residual_degrees_of_freedom = 0;  // what of them the noise on s² leaves: ≤ rows − d
  double rows = 0;                         // the noisy number of rows that was used
  Result<Determination> determination;
  Result<NestedTest> whole_model;  // all coefficients but the intercept are 0
};

// E-refit-squares where the target's square stays at home, E-errors-rows, E-errors-noise where the
// noise is not small beside Â: the reason is the error's `what`.
[[nodiscard]] Result<Inference> infer(const Release& release, const Selection& selection);

// That the coefficients of these columns (places in selection.columns) are all 0: F = W/q with the
// noise in the covariance. `residual` are Satterthwaite's degrees of freedom, may be infinite.
// Errors as infer().
[[nodiscard]] Result<NestedTest> nested_test(const Release& release, const Selection& selection,
                                             const std::vector<Eigen::Index>& left_out);

// Half the width of an interval of this level around a number with such degrees of freedom, in
// standard errors: the quantile of Student's t (of the normal where they are infinite).
[[nodiscard]] double interval_factor(double level, double degrees_of_freedom);

}  // namespace sotto
