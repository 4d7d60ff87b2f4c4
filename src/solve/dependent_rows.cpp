#include "solve/dependent_rows.h"

#include <cmath>

namespace sotto::solve {

double rows_together(const Schema& schema) {
  return schema.person ? static_cast<double>(schema.person->rows) : 1;
}

Result<PlugInErrors> with_dependent_rows(PlugInErrors errors, double rows, double k) {
  if (k == 1) return errors;
  const auto d = static_cast<double>(errors.theta.size());
  SOTTO_ASSIGN(const double left, residual_freedom(rows, std::lround(k * d)));
  const double larger = (rows - d) / left;
  // 2s⁴/(N − d) of Var s² is the rows' own; the rest is the noise's, which does not grow.
  const double of_rows = 2 * std::pow(errors.residual_variance, 2) / (rows - d);
  errors.residual_variance_sd =
      larger * std::sqrt(std::pow(errors.residual_variance_sd, 2) + (k - 1) * of_rows);
  errors.residual_variance *= larger;
  const double times = k * larger;
  errors.covariance += (times - 1) * errors.sampling_covariance;
  errors.sampling_covariance *= times;
  errors.log_det_noiseless += d * std::log(times);
  errors.standard_error = errors.covariance.diagonal().cwiseSqrt();
  return errors;
}

}  // namespace sotto::solve
