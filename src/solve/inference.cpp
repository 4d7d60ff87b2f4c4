#include "solve/inference.h"

#include <cmath>
#include <numeric>

#include "base/statistics.h"
#include "base/student.h"

// θ̃, its covariance and what is uncertain about the residual variance in it: t, F and R².
namespace sotto {
namespace {

// What every statement about a selection begins with.
struct InferenceSums {
  TableSums table;
  PlugInErrors errors;
  Eigen::MatrixXd inverse;  // Â⁻¹
  double rows = 0;
  double residual = 0;        // N − d, at least 1
  double variance = 0;        // s² = r/(N − d), the noise on r counted in
  double variance_noise = 0;  // its standard deviation: from rows, and from noise
};

Result<InferenceSums> inference_sums(const Release& release, const Selection& selection) {
  InferenceSums of;
  of.table = table_sums(release, selection);
  SOTTO_ASSIGN(of.errors, model_errors(release, selection));
  SOTTO_ASSIGN(of.rows, rows_for_errors(release));
  const NoisySums& sums = of.table.sums;
  const solve::SpectrumOfSums spectrum(sums.a);
  of.inverse =
      spectrum.vectors * spectrum.values.cwiseInverse().asDiagonal() * spectrum.vectors.transpose();
  of.residual = std::max(of.rows - static_cast<double>(sums.size()), 1.0);
  const Eigen::VectorXd& theta = of.errors.theta;
  const double noise =
      std::sqrt(std::pow(of.table.sigma_c, 2) + 4 * sums.sd_b().cwiseAbs2().dot(theta.cwiseAbs2()) +
                theta.dot(noise_seen_through(sums.sd_a(), theta) * theta));
  const double r = of.table.sum_of_squares - theta.dot(sums.b);
  const double rounding = 1e-14 * of.table.sum_of_squares;
  of.variance = noise > 0 ? of.errors.residual_variance * of.rows / of.residual
                          : std::max(r, rounding) / of.residual;
  of.variance_noise = std::hypot(of.variance * std::sqrt(2 / of.residual), noise / of.residual);
  return of;
}

// Degrees of freedom of s²·a + n, of which only s² is uncertain (Satterthwaite).
double satterthwaite(const InferenceSums& of, double sampling, double all) {
  const double uncertain = of.variance_noise * sampling / of.variance;
  return uncertain > 0 ? 2 * std::pow(all / uncertain, 2) : std::numeric_limits<double>::infinity();
}

Eigen::MatrixXd sampling_of(const InferenceSums& of) {
  return of.variance * of.inverse;
}

Eigen::MatrixXd covariance_of(const InferenceSums& of) {
  return of.errors.covariance + (of.variance - of.errors.residual_variance) * of.inverse;
}

NestedTest wald_test(const InferenceSums& of, const std::vector<Eigen::Index>& left_out) {
  const Eigen::VectorXd theta = of.errors.theta(left_out);
  const Eigen::MatrixXd covariance = covariance_of(of)(left_out, left_out);
  const Eigen::MatrixXd sampling = sampling_of(of)(left_out, left_out);
  const solve::SpectrumOfSums spectrum(covariance);
  const auto [direction, dropped] = solve::minimum_norm(spectrum.values, spectrum.vectors, theta);
  NestedTest test;
  test.left_out = static_cast<double>(left_out.size());
  test.f = theta.dot(direction) / test.left_out;
  test.residual =
      satterthwaite(of, direction.dot(sampling * direction), direction.dot(covariance * direction));
  constexpr double kAsGoodAsInfinite = 1e6;
  test.p = f_tail(test.f, test.left_out, std::min(test.residual, kAsGoodAsInfinite));
  return test;
}

Result<Determination> determination_of(const InferenceSums& of) {
  const auto plain = explained_variance([](const NoisySums& sums) { return exact_solution(sums); },
                                        of.errors.theta, of.table);
  if (!plain) {
    return failed("E-errors-noise", "the noise hides how much the target varies",
                  "more rows, or a larger ε");
  }
  const double factor = (of.rows - (of.table.intercept ? 1 : 0)) / of.residual;
  const auto adjusted = [&](double share) { return 1 - (1 - share) * factor; };
  return Determination{.plain = *plain,
                       .adjusted = {.share = adjusted(plain->share),
                                    .low = adjusted(plain->low),
                                    .high = adjusted(plain->high)}};
}

}  // namespace

Result<Inference> infer(const Release& release, const Selection& selection) {
  SOTTO_ASSIGN(const auto of, inference_sums(release, selection));
  const Encoding encoding = *Encoding::make(selection.schema);
  const auto d = static_cast<Eigen::Index>(encoding.dimension());
  const auto own = [&](const Eigen::MatrixXd& covariance) -> Eigen::MatrixXd {
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(d, d);
    all(selection.entries, selection.entries) = covariance;
    return encoding.to_own_units(Eigen::VectorXd::Zero(d), all)
        .covariance(selection.entries, selection.entries);
  };
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(d);
  theta(selection.entries) = of.errors.theta;
  const Eigen::VectorXd values = encoding.to_own_units(theta).values;
  Inference found{.coefficients = {},
                  .covariance = own(covariance_of(of)),
                  .sampling_covariance = own(sampling_of(of)),
                  .residual_sd = encoding.target_scale().half * std::sqrt(of.variance),
                  .residual_degrees_of_freedom = 2 * std::pow(of.variance / of.variance_noise, 2),
                  .rows = of.rows,
                  .determination = determination_of(of),
                  .whole_model = failed("E-refit-features", "the model has no features to test",
                                        "a model with features")};
  for (std::size_t k = 0; k < selection.entries.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    CoefficientTest test{.entry = selection.entries[k], .value = values(selection.entries[k])};
    test.standard_error = std::sqrt(found.covariance(at, at));
    test.degrees_of_freedom =
        satterthwaite(of, found.sampling_covariance(at, at), found.covariance(at, at));
    test.t = test.value / test.standard_error;
    test.p = t_tail(test.t, test.degrees_of_freedom);
    const double half = interval_factor(0.95, test.degrees_of_freedom) * test.standard_error;
    test.low = test.value - half;
    test.high = test.value + half;
    test.sampling_share = found.sampling_covariance(at, at) / found.covariance(at, at);
    found.coefficients.push_back(test);
  }
  std::vector<Eigen::Index> slopes(selection.columns.size() - (of.table.intercept ? 1 : 0));
  std::iota(slopes.begin(), slopes.end(), of.table.intercept ? 1 : 0);
  if (!slopes.empty()) found.whole_model = wald_test(of, slopes);
  return found;
}

Result<NestedTest> nested_test(const Release& release, const Selection& selection,
                               const std::vector<Eigen::Index>& left_out) {
  SOTTO_ASSIGN(const auto of, inference_sums(release, selection));
  return wald_test(of, left_out);
}

double interval_factor(double level, double degrees_of_freedom) {
  return t_reach(level, degrees_of_freedom);
}

}  // namespace sotto
