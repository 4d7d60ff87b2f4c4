#include "solve/fit.h"

#include <fmt/format.h>

#include <cmath>

// Sums, an estimator, standard errors and what the model explains: put together, in own units.
namespace sotto {
namespace {

// Fewer would be a statement about single persons, and noise in any case.
constexpr double kLeastRows = 1;

// Â₀₀ = Σx₀² with x₀ = s in every row, so N = A₀₀/s². Rows that were shortened have
// less, so then this is too low, and s² below it too high: the careful side.
std::optional<double> noisy_rows(const TableSums& table, const Encoding& encoding) {
  if (!table.intercept) return std::nullopt;
  const double entry = encoding.grid_scale() / kGridOne;
  return table.sums.a(0, 0) / (entry * entry);
}

// The chosen entries of all, 0 elsewhere.
Eigen::VectorXd spread(const Eigen::VectorXd& theta, const std::vector<Eigen::Index>& entries,
                       Eigen::Index size) {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(size);
  all(entries) = theta;
  return all;
}

// Returns why there are none, or nothing.
std::string add_standard_errors(const TableSums& table, const Encoding& encoding,
                                const std::vector<Eigen::Index>& entries, Fit& fit) {
  if (!table.squares_released) {
    return "the study has error_bars = false, so Σy² was not released";
  }
  if (!fit.rows) {
    return "without an intercept the number of rows is not released, and standard errors need it";
  }
  if (*fit.rows < kLeastRows) return "the noise is larger than the number of rows";
  const auto errors = plug_in_errors(
      table.sums, {.value = table.sum_of_squares, .sigma = table.sigma_c}, *fit.rows);
  if (!errors) return errors.error().what;
  const auto d = static_cast<Eigen::Index>(encoding.dimension());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
  covariance(entries, entries) = errors->covariance;
  const OwnUnits own = encoding.to_own_units(spread(errors->theta, entries, d), covariance);
  for (const Eigen::Index entry : entries) {
    Fit::Coefficient& coefficient = fit.coefficients[static_cast<std::size_t>(entry)];
    coefficient.unshrunk = own.values(entry);
    coefficient.standard_error = std::sqrt(own.covariance(entry, entry));
  }
  return {};
}

void warn_about_usefulness(const Schema& schema, Fit& fit) {
  const std::string trivial =
      schema.intercept ? fmt::format("the mean of {}", schema.target.column) : "0";
  if (!fit.explained) {
    fit.warnings.push_back(
        fmt::format("The noise is too large beside the data to tell whether the model is better "
                    "than predicting {}; take it that it is not.",
                    trivial));
  } else if (fit.explained->share <= 0) {
    fit.warnings.push_back(fmt::format(
        "The model is no better than predicting {}: it explains {:.0f} % of the "
        "variance, between {:.0f} % and {:.0f} %.",
        trivial, 100 * fit.explained->share, 100 * fit.explained->low, 100 * fit.explained->high));
  } else if (fit.explained->low <= 0) {
    fit.warnings.push_back(fmt::format(
        "It is not certain that the model is better than predicting {}: it explains "
        "about {:.0f} % of the variance, but the noise allows {:.0f} % to {:.0f} %.",
        trivial, 100 * fit.explained->share, 100 * fit.explained->low, 100 * fit.explained->high));
  }
}

}  // namespace

Release release_of(const FitTerms& terms, std::span<const double> sums) {
  return Release::from_sums(terms.schema, terms.weights, terms.sigma, sums);
}

Result<Fit> fit_release(const Release& release, const Selection& selection, FitMethod method) {
  SOTTO_ASSIGN(const auto encoding, Encoding::make(selection.schema));
  const TableSums table = table_sums(release, selection);
  const Fitter fitter = [&](const NoisySums& sums) {
    return method.estimator == Estimator::kRidge ? ridge(sums, method.ridge, table.intercept)
                                                 : estimate(method.estimator, sums);
  };
  SOTTO_ASSIGN(auto found, fitter(table.sums));
  Fit fit;
  fit.theta =
      spread(found.theta, selection.entries, static_cast<Eigen::Index>(encoding.dimension()));
  fit.singular = found.dropped > 0;
  fit.warnings = std::move(found.warnings);
  const OwnUnits own = encoding.to_own_units(fit.theta);
  for (std::size_t k = 0; k < encoding.dimension(); ++k) {
    fit.coefficients.push_back({.name = encoding.names()[k],
                                .value = own.values(static_cast<Eigen::Index>(k)),
                                .unshrunk = std::nullopt,
                                .standard_error = std::nullopt});
  }
  fit.rows = noisy_rows(table, encoding);
  fit.errors_refused = add_standard_errors(table, encoding, selection.entries, fit);
  fit.explained = explained_variance(fitter, found.theta, table);
  if (table.squares_released) warn_about_usefulness(selection.schema, fit);
  SOTTO_ASSIGN(const auto study, Encoding::make(release.schema));
  if (study.shortens()) {
    fit.warnings.push_back(
        fmt::format("The study's radius of {:g} shortens longer rows: coefficients, intervals and "
                    "the number of rows are those of the shortened rows.",
                    study.radius()));
  }
  return fit;
}

}  // namespace sotto
