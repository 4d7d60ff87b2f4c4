#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/statistics.h"
#include "solve/dependent_rows.h"
#include "solve/inferred_fit.h"

// Least squares without a constant from moments about the middle of the bounds.
namespace sotto {
namespace origin {

// The affine space of models without a constant, and the least-squares solution in it.
struct Solution {
  ReleasePart w;           // moments of (X, y) and their noise, as errors need them
  Eigen::MatrixXd q;       // its directions
  Eigen::MatrixXd to_own;  // R⁻¹
  Eigen::VectorXd start;   // θ₀
  Eigen::VectorXd eta;
  Eigen::MatrixXd inverse;  // (QᵀÂQ)⁻¹
  double smallest = 0;      // eigenvalue of QᵀÂQ

  [[nodiscard]] Eigen::Index size() const { return eta.size(); }
  [[nodiscard]] Eigen::VectorXd own() const { return to_own * eta; }
  // a = (θ, −1), so that aᵀ(x, y) is a row's residual; and the same of the model that is 0.
  [[nodiscard]] Eigen::VectorXd residual() const { return with_target(start + q * eta); }
  [[nodiscard]] Eigen::VectorXd trivial() const { return with_target(start); }

 private:
  static Eigen::VectorXd with_target(const Eigen::VectorXd& theta) {
    Eigen::VectorXd a(theta.size() + 1);
    a << theta, -1;
    return a;
  }
};

Result<Solution> solve(const Release& release, const Selection& selection,
                       const Encoding& encoding) {
  const auto d = static_cast<Eigen::Index>(selection.columns.size());
  Solution found;
  found.w = part_of(release, selection);
  const double weight = typical_weight(release).weight;
  found.w.moments /= weight;
  found.w.noise_sd /= weight;
  const Eigen::MatrixXd a = found.w.moments.topLeftCorner(d, d);
  const Eigen::VectorXd b = found.w.moments.col(d).head(d);
  SOTTO_TRY(validate(NoisySums{.a = a, .b = b}));
  const Eigen::MatrixXd to_theta =
      encoding.own_units_matrix()(selection.entries, selection.entries).inverse();
  found.start = -to_theta * encoding.own_units_offset()(selection.entries);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(to_theta.rightCols(d - 1));
  found.q = qr.householderQ() * Eigen::MatrixXd::Identity(d, d - 1);
  const Eigen::MatrixXd upper = qr.matrixQR().topRows(d - 1).triangularView<Eigen::Upper>();
  found.to_own = upper.inverse();

  const sotto::solve::SpectrumOfSums g(found.q.transpose() * a * found.q);
  const double rounding = static_cast<double>(d) * std::numeric_limits<double>::epsilon() *
                          g.values.cwiseAbs().maxCoeff();
  if (g.values.cwiseAbs().minCoeff() <= rounding) {
    return bad_input("E-refit-singular", "the model without an intercept is singular",
                     "leave features out");
  }
  found.smallest = g.values(0);
  found.inverse = g.vectors * g.values.cwiseInverse().asDiagonal() * g.vectors.transpose();
  found.eta = found.inverse * found.q.transpose() * (b - a * found.start);
  return found;
}

// 1 − r/t, both quadratic forms aᵀM̂a in the moments, with the noise on them.
Result<Determination> determination(const Solution& of, double adjust) {
  const Eigen::VectorXd a = of.residual();
  const Eigen::VectorXd trivial = of.trivial();
  const double r = a.dot(of.w.moments * a);
  const double total = trivial.dot(of.w.moments * trivial);
  const Eigen::MatrixXd of_total = trivial * trivial.transpose();
  if (total <= sotto::solve::kClearly * std::sqrt(noise_variance(of.w.noise_sd, of_total))) {
    return failed("E-errors-noise", "the noise hides how large the target is",
                  "more rows, or a larger ε");
  }
  const Eigen::MatrixXd moved = (a * a.transpose() - r / total * of_total) / total;
  const double half = kInterval95 * std::sqrt(noise_variance(of.w.noise_sd, moved));
  const double share = 1 - r / total;
  const auto adjusted = [&](double value) { return 1 - (1 - value) * adjust; };
  return Determination{
      .plain = {.share = share, .low = share - half, .high = share + half},
      .adjusted = {
          .share = adjusted(share), .low = adjusted(share - half), .high = adjusted(share + half)}};
}

// F that all coefficients are 0.
NestedTest whole_model(const Eigen::VectorXd& values, const Inference& known) {
  const Eigen::VectorXd direction = known.covariance.ldlt().solve(values);
  const auto q = static_cast<double>(values.size());
  NestedTest test{.f = values.dot(direction) / q, .left_out = q, .residual = 0, .p = 1};
  test.residual =
      sotto::solve::coefficient_test(0, 0, direction.dot(known.covariance * direction),
                                     direction.dot(known.sampling_covariance * direction),
                                     known.residual_degrees_of_freedom)
          .degrees_of_freedom;
  test.p = f_tail(test.f, q, std::min(test.residual, kNormalFrom));
  return test;
}

Result<Inference> infer(const Release& release, const Solution& of, double target_half,
                        const std::vector<Eigen::Index>& entries) {
  const Eigen::Index d = of.size() + 1;
  if (std::isnan(of.w.moments(d, d))) {
    return bad_input("E-refit-squares", "the study has error_bars = false, so Σy² was not released",
                     "another target, or a study with error_bars = true");
  }
  SOTTO_ASSIGN(const auto rows, rows_for_errors(release));
  const double together = sotto::solve::rows_together(release.schema);
  SOTTO_ASSIGN(const auto left, sotto::solve::residual_freedom(
                                    rows, std::lround(together * static_cast<double>(of.size()))));
  const double needed = 2 * covering_sigma(of.w.noise_sd.topLeftCorner(d, d)) *
                        std::sqrt(static_cast<double>(of.size()));
  if (of.smallest < needed) {
    return failed("E-errors-noise",
                  fmt::format("no standard errors: without an intercept the smallest eigenvalue is "
                              "{:.4g}, below {:.4g} = 2σ√d: the noise is not small beside the data",
                              of.smallest, needed),
                  "more rows, a larger ε, or fewer features");
  }
  const Eigen::VectorXd a = of.residual();
  const Eigen::MatrixXd seen =
      of.q.transpose() * noise_seen_through(of.w.noise_sd, a).topLeftCorner(d, d) * of.q;
  const double noise = std::sqrt(noise_variance(of.w.noise_sd, a * a.transpose()));
  // What η has taken from r by following the noise is given back.
  const double r = a.dot(of.w.moments * a) + (of.inverse * seen).trace();
  const auto s2 = sotto::solve::residual_variance(r, noise, left);
  const Eigen::MatrixXd step = of.to_own * of.inverse;
  Inference known{
      .coefficients = {},
      .covariance = {},
      .sampling_covariance = together * s2.value * of.to_own * of.inverse * of.to_own.transpose(),
      .residual_sd = target_half * std::sqrt(s2.value),
      .residual_degrees_of_freedom =
          2 * std::pow(s2.value / s2.sd, 2) /
          (1 + (together - 1) * 2 / left * std::pow(s2.value / s2.sd, 2)),
      .rows = rows,
      .determination = determination(of, rows / (rows - static_cast<double>(of.size()))),
      .whole_model = NestedTest{}};
  known.covariance = known.sampling_covariance + step * seen * step.transpose();
  const Eigen::VectorXd values = of.own();
  if (!known.covariance.allFinite() || !values.allFinite() ||
      !(known.residual_degrees_of_freedom > 0)) {
    return failed("E-errors-noise", "no intervals: they are past a double's range",
                  "sums and noise as a run releases them");
  }
  for (Eigen::Index k = 0; k < of.size(); ++k) {
    known.coefficients.push_back(sotto::solve::coefficient_test(
        entries[static_cast<std::size_t>(k)], values(k), known.covariance(k, k),
        known.sampling_covariance(k, k), known.residual_degrees_of_freedom));
  }
  known.whole_model = whole_model(values, known);
  return known;
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
  const Encoding with = *Encoding::make(selection.schema);
  SOTTO_ASSIGN(const auto solution, origin::solve(release, selection, with));
  Schema schema = selection.schema;
  schema.intercept = false;
  const Encoding encoding = *Encoding::make(schema);
  std::vector<Eigen::Index> entries;
  for (Eigen::Index k = 1; k < d; ++k) {
    entries.push_back(selection.entries[static_cast<std::size_t>(k)] - 1);
  }
  const auto size = static_cast<Eigen::Index>(encoding.dimension());
  Eigen::VectorXd values = Eigen::VectorXd::Zero(size);
  values(entries) = solution.own();
  Fit fit;
  fit.rows = noisy_rows(release);
  fit.theta = encoding.own_units_matrix().inverse() * values;
  for (Eigen::Index k = 0; k < size; ++k) {
    fit.coefficients.push_back({.name = encoding.names()[static_cast<std::size_t>(k)],
                                .value = values(k),
                                .unshrunk = std::nullopt,
                                .standard_error = std::nullopt});
  }
  auto inference = origin::infer(release, solution, with.target_scale().half, entries);
  return InferredFit{.schema = std::move(schema),
                     .fit = std::move(fit),
                     .entries = std::move(entries),
                     .inference = std::move(inference)};
}

}  // namespace sotto
