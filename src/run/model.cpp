// From what the parties end with to what they keep. All of it is post-processing.
#include "run/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "moments/quadratic.h"
#include "run/kept_json.h"
#include "run/refit/refit.h"
#include "solve/exact_answer.h"

namespace sotto {
namespace {

// What is public about any run of a study, before there is a result.
RunRecord public_record(const PlannedStudy& planned) {
  const auto& [study, plan] = planned;
  RunRecord record;
  record.study = study.name;
  record.study_hash = study.hash;
  record.solver = plan.solver;
  record.estimator = study.solve.estimator;
  record.estimator_settings = study.solve.settings;
  record.epsilon = study.privacy.budget.epsilon.value();
  record.delta = study.privacy.budget.delta.value();
  record.unit = study.privacy.unit;
  record.neighbours = study.privacy.neighbours;
  record.sensitivity = study.privacy.sensitivity.value();
  record.kappa_bar = plan.kappa_bar;
  record.adversaries = plan.adversaries;
  for (const PartyTerms& party : study.parties) record.parties.push_back(party.name);
  for (const Edge& edge : study.graph().edges()) record.edges.emplace_back(edge.a, edge.b);
  record.sum_noise_sd = plan.sum_noise_sd;
  record.central_ratio = plan.central_ratio;
  record.consensus = std::nullopt;
  if (!plan.tracks_gradient()) record.consensus = plan.consensus.method;
  record.rounds = plan.consensus.rounds;
  record.rate = plan.consensus.rate;
  record.warnings = plan.warnings;
  return record;
}

// x1, x2, …: entries have no names.
Result<Fit> fit_entries(const PlannedStudy& planned, std::span<const double> result) {
  std::vector<double> x(result.begin(), result.end());
  if (!planned.plan.tracks_gradient()) {
    SOTTO_ASSIGN(x, solve_sums(planned, result));
  }
  Fit fit;
  for (std::size_t k = 0; k < x.size(); ++k) {
    fit.coefficients.push_back({.name = fmt::format("x{}", k + 1),
                                .value = x[k],
                                .unshrunk = std::nullopt,
                                .standard_error = std::nullopt});
  }
  return fit;
}

// Levels that have no coefficient of their own: the first of each column, and those left out.
std::vector<ModelSummary::Base> bases_of(const InferredFit& model) {
  std::vector<ModelSummary::Base> bases;
  Eigen::Index at = model.schema.intercept ? 1 : 0;
  for (const Feature& feature : model.schema.features) {
    const auto* levels = std::get_if<CategoricalFeature>(&feature);
    if (levels == nullptr) {
      at += static_cast<Eigen::Index>(entries_of(feature));
      continue;
    }
    ModelSummary::Base base{.column = levels->column, .levels = {levels->levels.front()}};
    for (std::size_t k = 1; k < levels->levels.size(); ++k, ++at) {
      if (!std::ranges::binary_search(model.entries, at)) base.levels.push_back(levels->levels[k]);
    }
    bases.push_back(std::move(base));
  }
  return bases;
}

void take_test(const CoefficientTest& test, RunRecord::Coefficient& c) {
  c.unshrunk = test.value;
  c.standard_error = test.standard_error;
  c.interval = {test.low, test.high};
  c.degrees_of_freedom = test.degrees_of_freedom;
  c.t = test.t;
  c.p = test.p;
  c.noise_share = std::clamp(1 - test.sampling_share, 0.0, 1.0);
}

void take_inference(const Inference& known, const std::vector<Eigen::Index>& entries,
                    RunRecord& record, ModelSummary& summary) {
  for (const CoefficientTest& test : known.coefficients) {
    take_test(test, record.coefficients[static_cast<std::size_t>(test.entry)]);
  }
  summary.residual_sd = known.residual_sd;
  summary.degrees_of_freedom = known.residual_degrees_of_freedom;
  if (known.determination) {
    summary.r_squared = ModelSummary::share(known.determination->plain);
    summary.adjusted_r_squared = ModelSummary::share(known.determination->adjusted);
  } else {
    summary.r_squared_refused = known.determination.error().what;
  }
  if (known.whole_model) {
    summary.f = *known.whole_model;
  } else {
    summary.f_refused = known.whole_model.error().what;
  }
  const auto size = static_cast<Eigen::Index>(record.coefficients.size());
  summary.covariance = Eigen::MatrixXd::Zero(size, size);
  summary.covariance(entries, entries) = known.covariance;
}

}  // namespace

bool solves_exactly(const PlannedStudy& planned) {
  return planned.study.solve.estimator == Estimator::kExact &&
         planned.plan.dimension <= kMaxExactAnswer;
}

Result<std::vector<double>> solve_sums(const PlannedStudy& planned, std::span<const double> sums) {
  const std::size_t m = planned.plan.dimension;
  if (solves_exactly(planned)) {
    std::vector<double> x(m);
    if (exact_answer(sums, m, x)) return x;
  }
  const Quadratic noisy = from_theta(sums, m);
  SOTTO_ASSIGN(const auto solved, estimate(planned.study.solve.estimator,
                                           from_quadratic(noisy, planned.plan.sum_noise_sd),
                                           planned.study.solve.settings));
  return std::vector<double>(solved.theta.begin(), solved.theta.end());
}

Result<Model> conclude(const PlannedStudy& planned, const Outcome& outcome,
                       std::vector<RunRecord::Own> own) {
  const auto& [study, plan] = planned;
  RunRecord record = public_record(planned);
  record.own = std::move(own);
  record.convergence = outcome.convergence;
  record.transcript_hash = outcome.transcript_hash;
  if (!study.data) {
    SOTTO_ASSIGN(auto fit, fit_entries(planned, outcome.result));
    return model_of(std::move(record), std::move(fit));
  }
  record.target = study.data->target.column;
  record.encoding = schema_json(*study.data);
  record.release = release_of(fit_terms(study, plan.sum_noise_sd), outcome.result);
  SOTTO_ASSIGN(auto fit,
               infer_fit(*record.release, own_selection(*record.release),
                         {.estimator = record.estimator, .settings = record.estimator_settings}));
  return model_of(std::move(record), std::move(fit));
}

Model model_of(RunRecord record, Fit fit) {
  for (const Fit::Coefficient& c : fit.coefficients) {
    record.coefficients.push_back({.name = c.name, .value = c.value});
  }
  record.errors_refused = fit.errors_refused;
  record.noisy_rows = fit.rows;
  record.explained = fit.explained;
  record.warnings.insert(record.warnings.end(), fit.warnings.begin(), fit.warnings.end());
  return {.record = std::move(record), .fit = std::move(fit)};
}

Model model_of(RunRecord record, InferredFit inferred) {
  ModelSummary summary;
  summary.bases = bases_of(inferred);
  Model model = model_of(std::move(record), std::move(inferred.fit));
  if (inferred.inference) {
    model.record.errors_refused.clear();
    take_inference(*inferred.inference, inferred.entries, model.record, summary);
  } else {
    model.record.errors_refused = inferred.inference.error().what;
    summary.r_squared_refused = summary.f_refused = model.record.errors_refused;
  }
  model.record.summary = std::move(summary);
  model.record.summary->words = summary_words(model.record);
  return model;
}

Json to_json(const Model& model) {
  const RunRecord& record = model.record;
  Json json{{"format", fmt::format("{}{}", kModelFormat, kModelVersion)},
            {"study", record.study},
            {"study_hash", record.study_hash},
            {"transcript_hash", record.transcript_hash},
            {"solver", to_string(record.solver)},
            {"estimator", to_string(record.estimator)},
            {"target", record.target},
            {"coefficients", json_list(record.coefficients, coefficient_json)}};
  if (!record.estimator_settings.empty()) {
    json["estimator_settings"] = to_json(record.estimator_settings);
  }
  if (record.estimator == Estimator::kRidge) json["ridge"] = record.ridge;
  if (!record.instruments.empty()) json["instruments"] = record.instruments;
  if (!record.errors_refused.empty()) json["errors_refused"] = record.errors_refused;
  json["privacy"] = privacy_json(record);
  if (record.noisy_rows) json["rows"] = *record.noisy_rows;
  if (record.explained) json["explained"] = explained_json(record.explained);
  if (record.summary) json["summary"] = to_json(*record.summary);
  if (record.release && record.refit_of.empty()) {
    if (const auto test = party_test(*record.release).value_or(std::nullopt)) {
      json["parties_differ"] = {
          {"f", test->f}, {"degrees", {test->left_out, test->residual}}, {"p", test->p}};
    }
  }
  json["encoding"] = record.encoding;
  json["warnings"] = record.warnings;
  if (record.simulated) json["simulated"] = true;
  if (!record.refit_of.empty()) json["refit_of"] = record.refit_of;
  if (record.release) json["release"] = release_json(*record.release);
  return with_digest(std::move(json));
}

}  // namespace sotto
