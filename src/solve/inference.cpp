#include "solve/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/statistics.h"
#include "solve/dependent_rows.h"

// A model's errors, in own units and with their degrees of freedom.
namespace sotto {
namespace inference {
namespace {

// P(|T| > t) for Student's T; the normal's where the degrees of freedom are infinite.
double two_sided(double t, double freedom) {
  if (std::isinf(freedom)) return std::erfc(std::abs(t) / std::numbers::sqrt2);
  return f_tail(t * t, 1, freedom);
}

// The linear map to own units of a selection's entries, and those entries of it.
Eigen::MatrixXd to_own_units(const Selection& selection) {
  const Eigen::MatrixXd all = Encoding::make(selection.schema)->own_units_matrix();
  return all(selection.entries, selection.entries);
}

// R² = 1 − r/T to first order in the noise: ⟨…⟩ the noise's coefficients, ρ = r/T,
//
//     Var R² = 4R²(1 − R²)²·k/N + [(1 − ρ)²σ_c² + 4Σσ_B²(θ̃ − ρm)² + Var⟨E, θ̃θ̃ᵀ − ρmmᵀ⟩]/T²
//
// with k rows of a person that may depend on each other (dependent_rows.h), m the trivial
// prediction (the mean), T = ĉ − m·b̂ + what m has taken by following the noise.
Result<Determination> determination_of(const TableSums& table, const PlugInErrors& errors,
                                       double rows, double together) {
  const NoisySums& sums = table.sums;
  const Eigen::MatrixXd sd_a = sums.sd_a();
  const Eigen::VectorXd variance_b = sums.sd_b().cwiseAbs2();
  const double freedom = rows - static_cast<double>(sums.size());
  Eigen::VectorXd trivial = Eigen::VectorXd::Zero(sums.size());
  double total = table.sum_of_squares;
  if (table.intercept) {
    trivial(0) = sums.b(0) / sums.a(0, 0);
    const double followed = (variance_b(0) + std::pow(trivial(0) * sd_a(0, 0), 2)) / sums.a(0, 0);
    total += followed - trivial(0) * sums.b(0);
  }
  const double c2 = table.sigma_c * table.sigma_c;
  const double total_sd = std::sqrt(c2 + 4 * variance_b.dot(trivial.cwiseAbs2()) +
                                    noise_variance(sd_a, trivial * trivial.transpose()));
  if (total <= solve::kClearly * total_sd) {
    return failed("E-errors-noise", "the noise is not small beside the target's variance",
                  "more rows, or a larger ε");
  }
  const double rho = std::max(errors.residual_sum, 0.0) / total;
  const double share = 1 - rho;
  const Eigen::MatrixXd moved =
      errors.theta * errors.theta.transpose() - rho * trivial * trivial.transpose();
  const double noise = share * share * c2 +
                       4 * variance_b.dot((errors.theta - rho * trivial).cwiseAbs2()) +
                       noise_variance(sd_a, moved);
  const double sampling = 4 * std::max(share, 0.0) * rho * rho * together / rows;
  const double half = kInterval95 * std::sqrt(sampling + noise / (total * total));
  const double penalty = (rows - (table.intercept ? 1 : 0)) / freedom;
  const auto adjusted = [&](double r2) { return 1 - (1 - r2) * penalty; };
  return Determination{
      .plain = {.share = share, .low = share - half, .high = share + half},
      .adjusted = {
          .share = adjusted(share), .low = adjusted(share - half), .high = adjusted(share + half)}};
}

// Towards the limit of refusal K is seen through a θ̃ that is too long, Cov is too large and F-tests
// reject too seldom: 0.03 in place of 0.05. Below this margin they are refused, long before errors.
constexpr double kMarginOfTests = 1.75;

Result<void> can_be_tested(const PlugInErrors& errors) {
  if (errors.noise_margin >= kMarginOfTests) return {};
  return failed(
      "E-errors-noise",
      fmt::format("no F-test: the noisy A's smallest eigenvalue is {:.3g} times 2σ√d, and "
                  "below {} times the test would not have its size",
                  errors.noise_margin, kMarginOfTests),
      "more rows, a larger ε, or fewer or less correlated features");
}

Result<NestedTest> whole_model(const TableSums& table, const PlugInErrors& errors) {
  SOTTO_TRY(can_be_tested(errors));
  std::vector<Eigen::Index> slopes;
  for (Eigen::Index k = table.intercept ? 1 : 0; k < table.sums.size(); ++k) slopes.push_back(k);
  if (slopes.empty()) {
    return bad_input("E-refit-features", "the model has no features to test", "choose features");
  }
  return nested_test(errors, slopes);
}

CoefficientTest test_of(const PlugInErrors& errors, double value, double variance,
                        double sampling) {
  CoefficientTest test;
  test.value = value;
  test.standard_error = std::sqrt(variance);
  test.sampling_share = sampling / variance;
  test.degrees_of_freedom = degrees_of_freedom(errors, test.sampling_share);
  test.t = value / test.standard_error;
  test.p = two_sided(test.t, test.degrees_of_freedom);
  const double half = interval_factor(0.95, test.degrees_of_freedom) * test.standard_error;
  test.low = value - half;
  test.high = value + half;
  return test;
}

}  // namespace
}  // namespace inference

double interval_factor(double level, double degrees_of_freedom) {
  const auto outside = [&](double factor) {
    return inference::two_sided(factor, degrees_of_freedom);
  };
  double low = 0;
  double high = 1;
  while (outside(high) > 1 - level && high < 1e12) high *= 2;
  for (int k = 0; k < 200 && low < high; ++k) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (outside(middle) > 1 - level ? low : high) = middle;
  }
  return high;
}

Result<Inference> infer(const Release& release, const Selection& selection) {
  SOTTO_ASSIGN(const auto errors, model_errors(release, selection));
  SOTTO_ASSIGN(const auto rows, rows_for_errors(release));
  const TableSums table = sums_for_errors(release, selection);
  const Eigen::MatrixXd to_own = inference::to_own_units(selection);
  const Encoding encoding = *Encoding::make(selection.schema);
  const Eigen::VectorXd offset = encoding.own_units_offset();
  Inference found{.coefficients = {},
                  .covariance = to_own * errors.covariance * to_own.transpose(),
                  .sampling_covariance = to_own * errors.sampling_covariance * to_own.transpose(),
                  .residual_sd = std::sqrt(errors.residual_variance) * encoding.target_scale().half,
                  .residual_degrees_of_freedom = degrees_of_freedom(errors, 1),
                  .rows = rows,
                  .determination = inference::determination_of(
                      table, errors, rows, solve::rows_together(release.schema)),
                  .whole_model = inference::whole_model(table, errors)};
  const Eigen::VectorXd values = to_own * errors.theta + offset(selection.entries);
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    CoefficientTest test = inference::test_of(errors, values(k), found.covariance(k, k),
                                              found.sampling_covariance(k, k));
    test.entry = selection.entries[static_cast<std::size_t>(k)];
    found.coefficients.push_back(test);
  }
  return found;
}

Result<NestedTest> nested_test(const Release& release, const Selection& selection,
                               const std::vector<Eigen::Index>& left_out) {
  SOTTO_ASSIGN(const auto errors, model_errors(release, selection));
  SOTTO_TRY(inference::can_be_tested(errors));
  return nested_test(errors, left_out);
}

}  // namespace sotto
