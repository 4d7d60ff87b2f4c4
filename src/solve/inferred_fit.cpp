#include "solve/inferred_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/statistics.h"

// Fits with their inference, two-stage ones included; and other base levels.
namespace sotto {
namespace inferred {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// What two-stage least squares knows of itself: a covariance, and what of it would be there without
// noise.
Result<Inference> of_two_stage(const Release& release, const Selection& selection,
                               const FitMethod& method, const Fit& fit) {
  if (!fit.errors_refused.empty()) {
    return failed("E-errors-noise", fit.errors_refused, "more rows, or a larger ε");
  }
  Release quiet = release;
  quiet.noise_sd.setZero();
  SOTTO_ASSIGN(const auto without, two_stage(quiet, selection, method.instruments));
  const auto none = [](const char* what) {
    return bad_input("E-refit-instruments", fmt::format("two-stage least squares has no {}", what),
                     "least squares has");
  };
  Inference found{.coefficients = {},
                  .covariance = fit.covariance(selection.entries, selection.entries),
                  .sampling_covariance = without.covariance(selection.entries, selection.entries),
                  .residual_sd = fit.residual_sd,
                  .residual_degrees_of_freedom = kInfinite,
                  .rows = fit.rows.value_or(0),
                  .determination = none("R² of its own"),
                  .whole_model = none("F of its own")};
  for (std::size_t k = 0; k < selection.entries.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const auto& c = fit.coefficients[static_cast<std::size_t>(selection.entries[k])];
    found.coefficients.push_back(solve::coefficient_test(
        selection.entries[k], *c.unshrunk, found.covariance(at, at),
        std::min(found.sampling_covariance(at, at), found.covariance(at, at)), kInfinite));
  }
  return found;
}

Error no_base(const BaseLevel& base, const std::string& what, const std::string& fix) {
  return bad_input("E-refit-base",
                   fmt::format("\"{}={}\" cannot be the base: {}", base.column, base.level, what),
                   fix);
}

// A column of levels and where its entries begin.
struct Levels {
  CategoricalFeature* feature = nullptr;
  Eigen::Index first = 0;
};

Result<Levels> find_levels(Schema& schema, const BaseLevel& base) {
  Eigen::Index at = schema.intercept ? 1 : 0;
  for (Feature& feature : schema.features) {
    auto* levels = std::get_if<CategoricalFeature>(&feature);
    if (name_of(feature) == base.column) {
      if (levels == nullptr) return no_base(base, "the column is a number", "a column of levels");
      return Levels{.feature = levels, .first = at};
    }
    at += static_cast<Eigen::Index>(entries_of(feature));
  }
  return no_base(base, fmt::format("the model has no column \"{}\"", base.column),
                 "a column of levels that is in the model");
}

}  // namespace inferred

CoefficientTest solve::coefficient_test(Eigen::Index entry, double value, double variance,
                                        double sampling, double residual_freedom) {
  CoefficientTest test{.entry = entry, .value = value, .standard_error = std::sqrt(variance)};
  test.sampling_share = variance > 0 ? sampling / variance : 1;
  const double freedom = residual_freedom / std::pow(test.sampling_share, 2);
  test.degrees_of_freedom = freedom < kNormalFrom ? freedom : inferred::kInfinite;
  test.t = value / test.standard_error;
  test.p = std::isinf(test.degrees_of_freedom)
               ? std::erfc(std::abs(test.t) / std::numbers::sqrt2)
               : f_tail(test.t * test.t, 1, test.degrees_of_freedom);
  const double half = interval_factor(0.95, test.degrees_of_freedom) * test.standard_error;
  test.low = value - half;
  test.high = value + half;
  return test;
}

Result<InferredFit> infer_fit(const Release& release, const Selection& selection,
                              const FitMethod& method) {
  if (selection.through_origin) {
    if (method.estimator == Estimator::kExact) return through_origin(release, selection);
    return bad_input("E-refit-features",
                     fmt::format("a model without its intercept is the least-squares solution, and "
                                 "not \"{}\"",
                                 to_string(method.estimator)),
                     "--estimator exact, or leave the intercept in");
  }
  SOTTO_ASSIGN(auto fit, fit_release(release, selection, method));
  auto inference = method.estimator == Estimator::kTwoStage
                       ? inferred::of_two_stage(release, selection, method, fit)
                       : infer(release, selection);
  return InferredFit{.schema = selection.schema,
                     .fit = std::move(fit),
                     .entries = selection.entries,
                     .inference = std::move(inference)};
}

Result<InferredFit> with_base(InferredFit model, const BaseLevel& base) {
  using namespace inferred;
  SOTTO_ASSIGN(const auto found, find_levels(model.schema, base));
  std::vector<std::string>& levels = found.feature->levels;
  const auto chosen = std::ranges::find(levels, base.level);
  if (chosen == levels.end()) {
    return no_base(base, "the column has no such level",
                   fmt::format("one of {}", fmt::join(levels, ", ")));
  }
  if (chosen == levels.begin()) return model;
  if (!model.schema.intercept) {
    return no_base(base, "without an intercept no level is compared with another",
                   "a model with an intercept");
  }
  const auto count = static_cast<Eigen::Index>(levels.size()) - 1;
  for (Eigen::Index k = found.first; k < found.first + count; ++k) {
    if (!std::ranges::binary_search(model.entries, k)) {
      return no_base(base, "some of the column's levels have no coefficient of their own",
                     fmt::format("choose all of {}", base.column));
    }
  }
  // Entry k of the column is level k + 1. The new order is the chosen level, then the others as
  // they were: T over all entries of the schema.
  const auto d = static_cast<Eigen::Index>(model.schema.entries());
  const Eigen::Index b = found.first + (chosen - levels.begin()) - 1;
  Eigen::MatrixXd t = Eigen::MatrixXd::Identity(d, d);
  t(0, b) = 1;
  t.block(found.first, 0, count, d).setZero();
  t.block(found.first, b, count, 1).setConstant(-1);
  for (Eigen::Index to = found.first + 1, from = found.first; from < found.first + count; ++from) {
    if (from != b) t(to++, from) = 1;
  }
  std::rotate(levels.begin(), chosen, chosen + 1);

  Fit& fit = model.fit;
  const auto moved = [&](auto read) -> Eigen::VectorXd {
    Eigen::VectorXd values(d);
    for (Eigen::Index k = 0; k < d; ++k) {
      values(k) = read(fit.coefficients[static_cast<std::size_t>(k)]);
    }
    return t * values;
  };
  const Eigen::VectorXd values = moved([](const auto& c) { return c.value; });
  const Eigen::VectorXd unshrunk = moved([](const auto& c) { return c.unshrunk.value_or(0); });
  const std::vector<std::string> names = model.schema.encoded_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    Fit::Coefficient& c = fit.coefficients[k];
    c.name = names[k];
    c.value = values(static_cast<Eigen::Index>(k));
    if (c.unshrunk) c.unshrunk = unshrunk(static_cast<Eigen::Index>(k));
  }
  fit.theta = t * fit.theta;
  if (fit.covariance.size() > 0) fit.covariance = t * fit.covariance * t.transpose();
  if (!model.inference) return model;

  Inference& known = *model.inference;
  const Eigen::MatrixXd of_entries = t(model.entries, model.entries);
  known.covariance = of_entries * known.covariance * of_entries.transpose();
  known.sampling_covariance = of_entries * known.sampling_covariance * of_entries.transpose();
  for (std::size_t k = 0; k < model.entries.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const Eigen::Index entry = model.entries[k];
    const bool same = t.row(entry) == Eigen::RowVectorXd::Unit(d, entry);
    if (same) continue;
    known.coefficients[k] = solve::coefficient_test(
        entry, unshrunk(entry), known.covariance(at, at), known.sampling_covariance(at, at),
        known.residual_degrees_of_freedom);
    fit.coefficients[static_cast<std::size_t>(entry)].standard_error =
        known.coefficients[k].standard_error;
  }
  return model;
}

}  // namespace sotto
