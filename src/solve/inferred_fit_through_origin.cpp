#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/statistics.h"
#include "solve/inferred_fit.h"

// Least squares without a constant from moments about the middle of the bounds.
namespace sotto {
namespace origin {

// s² with the noise on r counted in, divided by N − p.
struct Residuals {
  double variance = 0;
  double freedom = 0;  // of it
};

Residuals residuals_of(double r, double noise, double rows, double coefficients) {
  const double freedom = std::max(rows - coefficients, 1.0);
  // Without noise there is nothing to be careful about but rounding.
  constexpr double kSmallest = 1e-14;
  const double variance =
      noise > 0 ? solve::residual_variance(r, noise, freedom) : std::max(r / freedom, kSmallest);
  const double uncertain = std::hypot(variance * std::sqrt(2 / freedom), noise / freedom);
  return {.variance = variance, .freedom = 2 * std::pow(variance / uncertain, 2)};
}

// 1 − r/t, both quadratic forms aᵀM̂a in the moments, with the noise on them.
Result<Determination> determination(const ReleasePart& w, const Eigen::VectorXd& a,
                                    const Eigen::VectorXd& trivial, double adjust) {
  const double r = a.dot(w.moments * a);
  const double total = trivial.dot(w.moments * trivial);
  const Eigen::MatrixXd of_total = trivial * trivial.transpose();
  if (total <= solve::kClearly * std::sqrt(noise_variance(w.noise_sd, of_total))) {
    return failed("E-errors-noise", "the noise hides how large the target is",
                  "more rows, or a larger ε");
  }
  const Eigen::MatrixXd moved = (a * a.transpose() - r / total * of_total) / total;
  const double half = kInterval95 * std::sqrt(noise_variance(w.noise_sd, moved));
  const double share = 1 - r / total;
  const auto adjusted = [&](double value) { return 1 - (1 - value) * adjust; };
  return Determination{
      .plain = {.share = share, .low = share - half, .high = share + half},
      .adjusted = {
          .share = adjusted(share), .low = adjusted(share - half), .high = adjusted(share + half)}};
}

}  // namespace origin

Result<InferredFit> through_origin(const Release& release, const Selection& selection) {
  const auto d = static_cast<Eigen::Index>(selection.columns.size());
  if (!release.schema.intercept || d < 2) {
    return bad_input("E-refit-features",
                     d < 2 ? "without the intercept nothing is left of the model"
                           : "the release has no intercept to leave out",
                     d < 2 ? "choose features" : "leave it as it is");
  }
  const ReleasePart w = part_of(release, selection);
  const Eigen::MatrixXd a = w.moments.topLeftCorner(d, d);
  const Eigen::VectorXd b = w.moments.col(d).head(d);
  SOTTO_TRY(validate(NoisySums{.a = a, .b = b}));
  const Encoding with = *Encoding::make(selection.schema);
  const Eigen::MatrixXd to_theta =
      with.own_units_matrix()(selection.entries, selection.entries).inverse();
  const Eigen::VectorXd start = -to_theta * with.own_units_offset()(selection.entries);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(to_theta.rightCols(d - 1));
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(d, d - 1);
  const Eigen::MatrixXd upper = qr.matrixQR().topRows(d - 1).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd to_own = upper.inverse();  // γ = R⁻¹η

  const solve::SpectrumOfSums g(q.transpose() * a * q);
  const double rounding = static_cast<double>(d) * std::numeric_limits<double>::epsilon() *
                          g.values.cwiseAbs().maxCoeff();
  if (g.values.cwiseAbs().minCoeff() <= rounding) {
    return bad_input("E-refit-singular", "the model without an intercept is singular",
                     "leave features out");
  }
  const Eigen::MatrixXd inverse =
      g.vectors * g.values.cwiseInverse().asDiagonal() * g.vectors.transpose();
  const Eigen::VectorXd eta = inverse * q.transpose() * (b - a * start);
  const Eigen::VectorXd gamma = to_own * eta;

  InferredFit found{.schema = selection.schema,
                    .fit = {},
                    .entries = {},
                    .inference = failed("E-errors-noise", "", "")};
  found.schema.intercept = false;
  const Encoding encoding = *Encoding::make(found.schema);
  for (Eigen::Index k = 1; k < d; ++k) {
    found.entries.push_back(selection.entries[static_cast<std::size_t>(k)] - 1);
  }
  const auto size = static_cast<Eigen::Index>(encoding.dimension());
  Eigen::VectorXd values = Eigen::VectorXd::Zero(size);
  values(found.entries) = gamma;
  found.fit.rows = noisy_rows(release);
  found.fit.theta = encoding.own_units_matrix().inverse() * values;
  for (Eigen::Index k = 0; k < size; ++k) {
    found.fit.coefficients.push_back({.name = encoding.names()[static_cast<std::size_t>(k)],
                                      .value = values(k),
                                      .unshrunk = std::nullopt,
                                      .standard_error = std::nullopt});
  }

  found.inference = [&]() -> Result<Inference> {
    if (std::isnan(w.moments(d, d))) {
      return failed("E-refit-squares", "the study has error_bars = false, so Σy² was not released",
                    "another target, or a study with error_bars = true");
    }
    SOTTO_ASSIGN(const auto rows, rows_for_errors(release));
    const double needed =
        2 * covering_sigma(w.noise_sd.topLeftCorner(d, d)) * std::sqrt(static_cast<double>(d - 1));
    if (g.values(0) < needed) {
      return failed("E-errors-noise",
                    fmt::format("no standard errors: without an intercept the smallest eigenvalue "
                                "is {:.4g}, below {:.4g} = 2σ√d: the noise is not small beside "
                                "the data",
                                g.values(0), needed),
                    "more rows, a larger ε, or fewer features");
    }
    Eigen::VectorXd residual(d + 1);
    residual << start + q * eta, -1;
    Eigen::VectorXd trivial(d + 1);
    trivial << start, -1;
    const double noise = std::sqrt(noise_variance(w.noise_sd, residual * residual.transpose()));
    const auto [variance, freedom] = origin::residuals_of(residual.dot(w.moments * residual), noise,
                                                          rows, static_cast<double>(d - 1));
    const Eigen::MatrixXd seen =
        q.transpose() * noise_seen_through(w.noise_sd, residual).topLeftCorner(d, d) * q;
    const Eigen::MatrixXd step = to_own * inverse;
    Inference known{
        .coefficients = {},
        .covariance =
            variance * to_own * inverse * to_own.transpose() + step * seen * step.transpose(),
        .sampling_covariance = variance * to_own * inverse * to_own.transpose(),
        .residual_sd = with.target_scale().half * std::sqrt(variance),
        .residual_degrees_of_freedom = freedom,
        .rows = rows,
        .determination = origin::determination(
            w, residual, trivial, rows / std::max(rows - static_cast<double>(d - 1), 1.0)),
        .whole_model = failed("E-errors-noise", "", "")};
    for (Eigen::Index k = 0; k + 1 < d; ++k) {
      known.coefficients.push_back(solve::coefficient_test(
          found.entries[static_cast<std::size_t>(k)], gamma(k), known.covariance(k, k),
          known.sampling_covariance(k, k), freedom));
    }
    const Eigen::VectorXd direction = known.covariance.ldlt().solve(gamma);
    NestedTest whole{.f = gamma.dot(direction) / static_cast<double>(d - 1),
                     .left_out = static_cast<double>(d - 1),
                     .residual = 0,
                     .p = 1};
    const CoefficientTest along =
        solve::coefficient_test(0, 0, direction.dot(known.covariance * direction),
                                direction.dot(known.sampling_covariance * direction), freedom);
    whole.residual = along.degrees_of_freedom;
    constexpr double kAsGoodAsInfinite = 1e6;
    whole.p = f_tail(whole.f, whole.left_out, std::min(whole.residual, kAsGoodAsInfinite));
    known.whole_model = whole;
    return known;
  }();
  return found;
}

}  // namespace sotto
