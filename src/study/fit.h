#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/encoding.h"
#include "solve/estimate.h"
#include "study/explained.h"
#include "study/plan.h"

namespace sotto {

// The model that the released sums of a record-level run come to. Everything here
// is post-processing, the same at every party that holds the same sums.
struct RecordFit {
  struct Coefficient {
    std::string name;
    double value = 0;                // of the study's estimator, in own units
    std::optional<double> unshrunk;  // θ̃, what the standard error belongs to
    std::optional<double> standard_error;
  };

  std::vector<Coefficient> coefficients;
  Eigen::VectorXd theta;       // the same model in the unit ball
  std::string errors_refused;  // why there are no standard errors; empty if there are
  std::optional<double> rows;  // a noisy number of rows; needs an intercept
  std::optional<Explained> explained;
  std::vector<std::string> warnings;
};

// Half the width of a 95 % interval, in standard errors.
inline constexpr double kInterval95 = 1.959964;

// `sums` as a run leaves them, in the order of Moments: noise on entry k has the
// standard deviation σ/weight_k, so σ_A = σ on the diagonal, σ_B = σ/w, and Σy² σ/v, with the
// study's released_weights(). Sums without
// noise, σ = 0, may have Σy² whatever the study says.
[[nodiscard]] TableSums table_sums(std::span<const double> sums, const Study& study, double sigma);

// `study` has unit = "record".
[[nodiscard]] Result<RecordFit> fit_sums(const Study& study, const Plan& plan,
                                         std::span<const double> sums);

}  // namespace sotto
