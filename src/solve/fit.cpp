#include "solve/fit.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "moments/moments.h"
#include "moments/quadratic.h"

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

// Returns why there are none, or nothing.
std::string add_standard_errors(const TableSums& table, const Encoding& encoding, Fit& fit) {
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
  const OwnUnits own = encoding.to_own_units(errors->theta, errors->covariance);
  for (std::size_t k = 0; k < fit.coefficients.size(); ++k) {
    const auto entry = static_cast<Eigen::Index>(k);
    fit.coefficients[k].unshrunk = own.values(entry);
    fit.coefficients[k].standard_error = std::sqrt(own.covariance(entry, entry));
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

TableSums table_sums(const FitTerms& terms, std::span<const double> sums) {
  const std::size_t d = terms.schema.entries();
  const double sigma = terms.sigma;
  check(sums.size() == moments_size(d) || sums.size() == theta_size(d),
        "a table's sums have one entry per moment, or all but Σy²");
  // from_theta reads [vech(A); B]; what stands where B does is Xᵀy, sign and all.
  const Quadratic read = from_theta(sums.first(theta_size(d)), d);
  TableSums table;
  table.sums = {.a = read.a,
                .b = read.b,
                .sigma_a = sigma,
                .sigma_b = sigma / std::sqrt(terms.weights.w2),
                .shape = NoiseShape::kSvec};
  table.squares_released = sums.size() == moments_size(d);
  if (table.squares_released) {
    table.sum_of_squares = sums.back();
    if (sigma > 0) table.sigma_c = sigma / std::sqrt(terms.weights.v2);
  }
  table.intercept = terms.schema.intercept;
  return table;
}

Result<Fit> fit_sums(const FitTerms& terms, std::span<const double> sums) {
  SOTTO_ASSIGN(const auto encoding, Encoding::make(terms.schema));
  const TableSums table = table_sums(terms, sums);
  SOTTO_ASSIGN(auto found, estimate(terms.estimator, table.sums));
  Fit fit;
  fit.theta = found.theta;
  fit.warnings = std::move(found.warnings);
  const OwnUnits own = encoding.to_own_units(fit.theta);
  for (std::size_t k = 0; k < encoding.dimension(); ++k) {
    fit.coefficients.push_back({.name = encoding.names()[k],
                                .value = own.values(static_cast<Eigen::Index>(k)),
                                .unshrunk = std::nullopt,
                                .standard_error = std::nullopt});
  }
  fit.rows = noisy_rows(table, encoding);
  fit.errors_refused = add_standard_errors(table, encoding, fit);
  fit.explained = explained_variance(terms.estimator, fit.theta, table);
  if (table.squares_released) warn_about_usefulness(terms.schema, fit);
  if (encoding.shortens()) {
    fit.warnings.push_back(
        fmt::format("The study's radius of {:g} shortens longer rows: coefficients, intervals and "
                    "the number of rows are those of the shortened rows.",
                    encoding.radius()));
  }
  return fit;
}

}  // namespace sotto
