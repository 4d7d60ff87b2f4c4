#include "solve/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/row_weight.h"
#include "solve/centred.h"
#include "solve/dependent_rows.h"

// Sums, an estimator, standard errors and what the model explains: put together, in own units.
namespace sotto {
namespace {

// Fewer would be a statement about single persons, and noise in any case.
constexpr double kLeastRows = 1;

// The chosen entries of all, 0 elsewhere.
Eigen::VectorXd spread(const Eigen::VectorXd& theta, const std::vector<Eigen::Index>& entries,
                       Eigen::Index size) {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(size);
  all(entries) = theta;
  return all;
}

// Noise may move a share below nothing or above everything; people are told what can be.
double percent(double share) {
  return 100 * std::clamp(share, 0.0, 1.0);
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
    fit.warnings.push_back(
        fmt::format("The model is no better than predicting {}: it explains {:.0f} % of the "
                    "variance, between {:.0f} % and {:.0f} %.",
                    trivial, percent(fit.explained->share), percent(fit.explained->low),
                    percent(fit.explained->high)));
  } else if (fit.explained->low <= 0) {
    fit.warnings.push_back(
        fmt::format("It is not certain that the model is better than predicting {}: it explains "
                    "about {:.0f} % of the variance, but the noise allows {:.0f} % to {:.0f} %.",
                    trivial, percent(fit.explained->share), percent(fit.explained->low),
                    percent(fit.explained->high)));
  }
}

// Weights depend on all features of the study, and a model of one of these on itself.
void warn_about_weights(const Release& release, const Selection& selection, Fit& fit) {
  if (release.schema.weighting == Weighting::kNone || selection.target == release.target()) return;
  fit.warnings.push_back(
      fmt::format("Rows are weighted by the study's features, and {} is one of them: this is the "
                  "best fit of the weighted rows, which is another than that of all rows alike "
                  "even where the truth is linear.",
                  selection.schema.target.column));
}

void warn_about_shortening(const Release& release, Fit& fit) {
  const Encoding encoding = *Encoding::make(release.schema);
  if (!encoding.shortens()) return;
  fit.warnings.push_back(
      fmt::format("The study's radius of {:g} shortens longer rows: coefficients, intervals and "
                  "the number of rows are those of the shortened rows.",
                  encoding.radius()));
}

void say_that_rows_depend(const Release& release, Fit& fit) {
  const double k = solve::rows_together(release.schema);
  if (k == 1) return;
  fit.warnings.push_back(
      fmt::format("A person may have {:g} rows that count, and they may depend on each other: "
                  "standard errors, intervals and tests are made for the worst of it, up to {:.2g} "
                  "times as wide as for independent rows.",
                  k, std::sqrt(k)));
}

void say_which_question(const Release& release, Fit& fit) {
  if (release.schema.weighting == Weighting::kNone) return;
  fit.warnings.push_back(weighting_in_words(release.schema));
}

// noise_aware() for rows of weighted tables without an intercept: it needs ‖x‖ ≤ 1, and they have
// ‖u‖² ≤ d.
Result<Estimate> noise_aware_in_ball(const TableSums& table) {
  const double scale = 1 / std::sqrt(static_cast<double>(table.sums.size()));
  NoisySums sums = table.sums;
  sums.a *= scale * scale;
  sums.b *= scale;
  sums.sigma_a *= scale * scale;
  sums.sigma_b *= scale;
  sums.own_sd_a *= scale * scale;
  sums.own_sd_b *= scale;
  SOTTO_ASSIGN(auto found, noise_aware(sums));
  found.theta *= scale;
  if (found.posterior_variance) *found.posterior_variance *= scale * scale;
  return found;
}

}  // namespace

Release release_of(const FitTerms& terms, std::span<const double> sums) {
  return Release::from_sums(terms.schema, terms.shares, terms.sigma, sums);
}

std::optional<double> noisy_rows(const Release& release) {
  return typical_weight(release).rows;
}

Result<double> rows_for_errors(const Release& release) {
  const auto rows = noisy_rows(release);
  if (!rows) {
    return failed("E-errors-rows",
                  "without an intercept the number of rows is not released, and standard errors "
                  "need it",
                  "a study with an intercept");
  }
  if (*rows >= kLeastRows) return *rows;
  return failed("E-errors-rows", "the noise is larger than the number of rows",
                "more rows, or a larger ε");
}

Result<PlugInErrors> model_errors(const Release& release, const Selection& selection) {
  const TableSums table = sums_for_errors(release, selection);
  if (!table.squares_released) {
    return bad_input("E-refit-squares", "the study has error_bars = false, so Σy² was not released",
                     "another target, or a study with error_bars = true");
  }
  SOTTO_ASSIGN(const auto rows, rows_for_errors(release));
  SOTTO_ASSIGN(
      auto errors,
      plug_in_errors(table.sums, {.value = table.sum_of_squares, .sigma = table.sigma_c}, rows));
  return solve::with_dependent_rows(std::move(errors), rows, solve::rows_together(release.schema));
}

TableSums sums_for_errors(const Release& release, const Selection& selection) {
  TableSums table = table_sums(release, selection);
  const double w = table.typical_weight;
  if (w == 1) return table;
  table.sums.a /= w;
  table.sums.b /= w;
  table.sums.sigma_a /= w;
  table.sums.sigma_b /= w;
  table.sums.own_sd_a /= w;
  table.sums.own_sd_b /= w;
  table.sum_of_squares /= w;
  table.sigma_c /= w;
  return table;
}

Result<Estimate> estimate_table(const FitMethod& method, const TableSums& table) {
  if (method.estimator == Estimator::kRidge) {
    return ridge(table.sums, method.ridge, table.intercept);
  }
  if (method.estimator == Estimator::kNoiseAware && table.weighted) {
    return table.intercept ? centred_noise_aware(table) : noise_aware_in_ball(table);
  }
  return estimate(method.estimator, table.sums, method.settings);
}

Result<Fit> fit_release(const Release& release, const Selection& selection,
                        const FitMethod& method) {
  if (method.estimator == Estimator::kTwoStage) {
    SOTTO_ASSIGN(auto fit, two_stage(release, selection, method.instruments));
    say_which_question(release, fit);
    say_that_rows_depend(release, fit);
    warn_about_weights(release, selection, fit);
    warn_about_shortening(release, fit);
    return fit;
  }
  const TableSums table = table_sums(release, selection);
  const Fitter fitter = [&](const NoisySums& sums) {
    TableSums there = table;
    there.sums = sums;
    return estimate_table(method, there);
  };
  SOTTO_ASSIGN(auto found, fitter(table.sums));
  Fit fit = solve::in_own_units(release, selection, found.theta, model_errors(release, selection));
  fit.singular = found.dropped > 0;
  fit.warnings.insert(fit.warnings.begin(), found.warnings.begin(), found.warnings.end());
  fit.explained = explained_variance(fitter, found.theta, table);
  if (table.squares_released) warn_about_usefulness(selection.schema, fit);
  say_which_question(release, fit);
  say_that_rows_depend(release, fit);
  warn_about_weights(release, selection, fit);
  warn_about_shortening(release, fit);
  return fit;
}

Fit solve::in_own_units(const Release& release, const Selection& selection,
                        const Eigen::VectorXd& theta, const Result<PlugInErrors>& errors) {
  const Encoding encoding = *Encoding::make(selection.schema);
  const auto d = static_cast<Eigen::Index>(encoding.dimension());
  Fit fit;
  fit.rows = noisy_rows(release);
  fit.theta = spread(theta, selection.entries, d);
  const OwnUnits own = encoding.to_own_units(fit.theta);
  for (std::size_t k = 0; k < encoding.dimension(); ++k) {
    fit.coefficients.push_back({.name = encoding.names()[k],
                                .value = own.values(static_cast<Eigen::Index>(k)),
                                .unshrunk = std::nullopt,
                                .standard_error = std::nullopt});
  }
  if (!errors) {
    fit.errors_refused = errors.error().what;
    return fit;
  }
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
  covariance(selection.entries, selection.entries) = errors->covariance;
  const OwnUnits known =
      encoding.to_own_units(spread(errors->theta, selection.entries, d), covariance);
  for (const Eigen::Index entry : selection.entries) {
    Fit::Coefficient& coefficient = fit.coefficients[static_cast<std::size_t>(entry)];
    coefficient.unshrunk = known.values(entry);
    coefficient.standard_error = std::sqrt(known.covariance(entry, entry));
  }
  fit.covariance = known.covariance;
  fit.residual_sd = encoding.target_scale().half * std::sqrt(errors->residual_variance);
  return fit;
}

}  // namespace sotto
