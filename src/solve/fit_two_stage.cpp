#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/words.h"
#include "solve/dependent_rows.h"
#include "solve/fit.h"

// Two-stage least squares from moments that have noise on them.
namespace sotto {
namespace {

using Indices = std::vector<Eigen::Index>;

// Eigenvalues that rounding could have made.
double rounding_of(const solve::SpectrumOfSums& spectrum) {
  return static_cast<double>(spectrum.values.size()) * std::numeric_limits<double>::epsilon() *
         spectrum.values.cwiseAbs().maxCoeff();
}

Eigen::MatrixXd inverse_of(const solve::SpectrumOfSums& spectrum) {
  return spectrum.vectors * spectrum.values.cwiseInverse().asDiagonal() *
         spectrum.vectors.transpose();
}

// Where columns stand in W = (X, y, more).
struct Places {
  Indices x;
  Eigen::Index y = 0;
  Indices z;
  Indices more;  // columns of the release that are neither features nor target
};

Result<Places> places_of(const Release& release, const Selection& selection,
                         const Indices& instruments) {
  Places places;
  for (const Eigen::Index column : selection.columns) {
    const auto at = static_cast<Eigen::Index>(places.x.size());
    const bool intercept = release.schema.intercept && column == 0;
    if (intercept || std::ranges::find(instruments, column) != instruments.end()) {
      places.z.push_back(at);
    }
    places.x.push_back(at);
  }
  places.y = static_cast<Eigen::Index>(places.x.size());
  for (const Eigen::Index column : instruments) {
    if (column == selection.target) {
      return bad_input(
          "E-refit-instruments",
          fmt::format("\"{}\" is both target and instrument", selection.schema.target.column),
          "name columns that explain the features, and the target only through them");
    }
    if (std::ranges::find(selection.columns, column) != selection.columns.end()) continue;
    if (column == release.target() && !release.squares_released()) {
      return bad_input("E-refit-squares",
                       fmt::format("\"{}\" cannot be an instrument: its square was not released",
                                   release.schema.target.column),
                       "name others");
    }
    places.more.push_back(column);
    places.z.push_back(places.y + static_cast<Eigen::Index>(places.more.size()));
  }
  if (places.z.size() >= places.x.size()) return places;
  return bad_input(
      "E-refit-instruments",
      fmt::format(
          "{} and {} that are none themselves",
          counted(places.more.size(), "instrument", "instruments"),
          counted(places.x.size() - (places.z.size() - places.more.size()), "feature", "features")),
      "at least as many instruments as such features; features may be instruments too");
}

Error too_noisy(const char* what, double smallest, double needed) {
  return failed("E-errors-noise",
                fmt::format("no standard errors: {}'s smallest eigenvalue is {:.4g}, below {:.4g}: "
                            "the noise is not small beside it",
                            what, smallest, needed),
                "more rows, a larger ε, or stronger instruments");
}

}  // namespace

Result<Fit> two_stage(const Release& release, const Selection& selection,
                      const std::vector<Eigen::Index>& instruments) {
  SOTTO_ASSIGN(const auto at, places_of(release, selection, instruments));
  const ReleasePart part = part_of(release, selection, at.more);
  const double weight = typical_weight(release).weight;
  const Eigen::MatrixXd w = part.moments / weight;
  const Eigen::MatrixXd sd = part.noise_sd / weight;
  const Eigen::MatrixXd g = w(at.z, at.z);
  const Eigen::MatrixXd h = w(at.z, at.x);
  SOTTO_TRY(validate(NoisySums{.a = g, .b = w(at.z, at.y)}));
  const auto singular = [&](const char* what) {
    return bad_input("E-refit-singular", fmt::format("{} is singular", what),
                     "leave instruments or features out");
  };
  const solve::SpectrumOfSums of_g(g);
  if (of_g.values.cwiseAbs().minCoeff() <= rounding_of(of_g)) return singular("the instruments");
  const Eigen::MatrixXd first = inverse_of(of_g) * h;
  const Eigen::MatrixXd product = h.transpose() * first;
  const solve::SpectrumOfSums stage((product + product.transpose()) / 2);
  if (stage.values.cwiseAbs().minCoeff() <= rounding_of(stage)) return singular("the first stage");
  const Eigen::MatrixXd p = inverse_of(stage) * first.transpose();
  const Eigen::VectorXd theta = p * w(at.z, at.y);

  const auto errors = [&]() -> Result<PlugInErrors> {
    if (std::isnan(w(at.y, at.y))) {
      return bad_input("E-refit-squares",
                       "the study has error_bars = false, so Σy² was not released",
                       "another target");
    }
    SOTTO_ASSIGN(const auto rows, rows_for_errors(release));
    // ‖E‖ is about σ√(2d); first-stage coefficients R carry it into HᵀG⁻¹H.
    Indices both = at.x;
    for (Eigen::Index k = at.y + 1; k < w.rows(); ++k) both.push_back(k);
    const double sigma = covering_sigma(sd(both, both));
    const double noise = 2 * sigma * std::sqrt(static_cast<double>(at.z.size()));
    if (of_g.values(0) < noise) return too_noisy("the instruments", of_g.values(0), noise);
    const double carried =
        std::sqrt(solve::SpectrumOfSums(first.transpose() * first).values.maxCoeff());
    const double needed = noise * carried * std::max(carried, 1.0);
    if (stage.values(0) < needed) return too_noisy("the first stage", stage.values(0), needed);

    Eigen::VectorXd a = Eigen::VectorXd::Zero(w.rows());
    a(at.x) = theta;
    a(at.y) = -1;
    // r = aᵀM̂a moves by aᵀEa, and through θ̃, which moves by −P(Ea)_Z.
    Eigen::VectorXd through = Eigen::VectorXd::Zero(w.rows());
    through(at.z) = p.transpose() * (w(at.x, Eigen::all) * a);
    const Eigen::MatrixXd moved =
        a * a.transpose() - through * a.transpose() - a * through.transpose();
    PlugInErrors found;
    found.theta = theta;
    SOTTO_ASSIGN(const auto freedom, solve::residual_freedom(rows, at.y));
    // θ̃ follows the noise; what r loses by that to second order is given back.
    const Eigen::MatrixXd seen = noise_seen_through(sd, a);
    const Eigen::MatrixXd noise_of_theta = p * seen(at.z, at.z) * p.transpose();
    const double followed = 2 * p.cwiseProduct(seen(at.x, at.z)).sum() -
                            w(at.x, at.x).cwiseProduct(noise_of_theta).sum();
    found.residual_sum = a.dot(w * a) + followed;
    const auto residuals =
        solve::residual_variance(found.residual_sum, std::sqrt(noise_variance(sd, moved)), freedom);
    found.residual_variance = residuals.value;
    found.residual_variance_sd = residuals.sd;
    found.sampling_covariance = p * (found.residual_variance * g) * p.transpose();
    found.covariance = found.sampling_covariance + noise_of_theta;
    found.standard_error = found.covariance.diagonal().cwiseSqrt();
    return solve::with_dependent_rows(std::move(found), rows, solve::rows_together(release.schema));
  };
  return solve::in_own_units(release, selection, theta, errors());
}

}  // namespace sotto
