// weighting = "auto": which question to ask, from what the study says of its tables.
#include <cmath>

#include "base/check.h"
#include "study/mechanism/mechanism.h"
#include "study/study.h"

namespace sotto {
namespace {

// What a plan assumes of a table (plan/plan.h), in halves of the bounds' widths.
constexpr double kFeatureSd = 0.4;
constexpr double kTargetSd = 0.3;
constexpr double kTargetMean = 0.3;
constexpr double kExplained = 0.5;
// How much of a coefficient's variance may be noise before the question is changed.
constexpr double kNoiseShare = 0.1;

// How much more than a trusted centre's noise a solver leaves on the sum, but for g.
double solver_factor(const Study& study) {
  const auto parties = static_cast<double>(study.graph().size());
  if (mechanism_of(study.solver).seals() == SealKind::kLocal) return std::sqrt(parties);
  const auto colluders = static_cast<double>(study.privacy.colluders);
  return std::sqrt(parties / std::max(1.0, parties - colluders));
}

}  // namespace

void choose_weighting(Study& study) {
  check(study.data.has_value() && study.data->rows > 0, "the study says how many rows there are");
  Schema& schema = *study.data;
  schema.weighting = Weighting::kNone;
  const double sigma = solver_factor(study) *
                       row_sensitivity(schema, study.privacy.neighbours, study.solve).value() /
                       gaussian_shift(study.privacy.budget);
  const auto k = static_cast<double>(schema.feature_columns() + (schema.intercept ? 1 : 0));
  const double slopes_square = kTargetSd * kTargetSd * kExplained / (kFeatureSd * kFeatureSd);
  const double noise =
      sigma * sigma * (k + k * k / 2 * (kTargetMean * kTargetMean + slopes_square));
  const double residual = kTargetSd * kTargetSd * (1 - kExplained);
  schema.bounded_below = noise / (kNoiseShare * kFeatureSd * kFeatureSd * residual);
  if (static_cast<double>(schema.rows) < *schema.bounded_below) {
    schema.weighting = Weighting::kBounded;
  }
}

}  // namespace sotto
