// sotto::v1::Estimator: somebody else's estimator, as one of ours.

#include <fmt/format.h>
#include <sotto/estimator.h>

#include <algorithm>
#include <cmath>

#include "api/added_keys.h"
#include "base/check.h"
#include "solve/estimator_table.h"

namespace sotto::v1 {
namespace {

std::vector<double> row_by_row(const Eigen::MatrixXd& matrix) {
  std::vector<double> values;
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) values.push_back(matrix(r, c));
  }
  return values;
}

sotto::Result<sotto::Estimate> asked(const Estimator& plugin, const NoisySums& sums,
                                     const NamedSettings& settings) {
  SOTTO_TRY(validate(sums));
  EstimatorSums shown{.size = static_cast<std::size_t>(sums.size()),
                      .a = row_by_row(sums.a),
                      .b = row_by_row(sums.b),
                      .sd_a = row_by_row(sums.sd_a()),
                      .sd_b = row_by_row(sums.sd_b()),
                      .numbers = settings.numbers,
                      .words = settings.words};
  SOTTO_ASSIGN(auto answer, plugin.estimate(shown));
  const auto finite = [](double value) { return std::isfinite(value); };
  if (answer.theta.size() != shown.size || !std::ranges::all_of(answer.theta, finite)) {
    return failed("E-estimator-answer",
                  fmt::format("{} answers with {}", plugin.name(),
                              answer.theta.size() != shown.size
                                  ? fmt::format("{} numbers for {} coefficients",
                                                answer.theta.size(), shown.size)
                                  : "what is no number"),
                  "one finite number for each coefficient");
  }
  sotto::Estimate found;
  found.theta = Eigen::Map<const Eigen::VectorXd>(answer.theta.data(), sums.size());
  found.warnings = std::move(answer.warnings);
  return found;
}

}  // namespace

Result<void> register_estimator(std::unique_ptr<const Estimator> estimator) {
  check(estimator != nullptr, "there is an estimator to register");
  const std::string name = estimator->name();
  const std::vector<NamedKey> keys = inside(estimator->keys());
  SOTTO_TRY(check_keys("E-estimator-key", name, keys));
  SOTTO_TRY(check_section_is_free("E-estimator-name", name));
  const std::shared_ptr<const Estimator> plugin = std::move(estimator);
  SOTTO_TRY(add_estimator(name, [&](sotto::Estimator number) {
    return EstimatorEntry{.estimator = number,
                          .name = name,
                          .words = plugin->about(),
                          .compute =
                              [plugin](const NoisySums& sums, const NamedSettings& settings) {
                                return asked(*plugin, sums, settings);
                              },
                          .keys = keys};
  }));
  return {};
}

}  // namespace sotto::v1
