// From what the parties end with to what they keep. All of it is post-processing.
#include "run/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/words.h"
#include "moments/quadratic.h"
#include "run/kept_json.h"

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
  if (plan.solver != Solver::kGt) record.consensus = plan.consensus.method;
  record.rounds = plan.consensus.rounds;
  record.rate = plan.consensus.rate;
  record.warnings = plan.warnings;
  return record;
}

// x1, x2, …: entries have no names.
Result<Fit> fit_entries(const PlannedStudy& planned, std::span<const double> result) {
  std::vector<double> x(result.begin(), result.end());
  if (planned.plan.solver != Solver::kGt) {
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

RunRecord::Coefficient kept(const Fit::Coefficient& c) {
  RunRecord::Coefficient kept{.name = c.name,
                              .value = c.value,
                              .standard_error = c.standard_error,
                              .interval = std::nullopt,
                              .unshrunk = c.unshrunk};
  if (c.standard_error) {
    const double half = kInterval95 * *c.standard_error;
    kept.interval = {*c.unshrunk - half, *c.unshrunk + half};
  }
  return kept;
}

// A share that noise may have moved below nothing or above everything, as far as it can be true.
double percent_of_all(double share) {
  return 100 * std::clamp(share, 0.0, 1.0);
}

std::string table_text(const RunRecord& record, const Fit& fit) {
  std::string text =
      record.refit_of.empty()
          ? fmt::format("{}: {} over {} parties' tables, {}\n\n", record.study, record.target,
                        record.parties.size(), to_string(record.solver))
          : fmt::format("{}: {}, from what was released before\n\n", record.study, record.target);
  text += fmt::format("  {:<24} {:>12} {:>12} {:>26}\n", to_string(record.estimator), "value",
                      "unshrunk", "95 % interval");
  for (const RunRecord::Coefficient& c : record.coefficients) {
    text += fmt::format("  {:<24} {:>12} {:>12} {:>26}\n", c.name, short_number(c.value),
                        c.unshrunk ? short_number(*c.unshrunk) : "–", interval_text(c));
  }
  if (!record.errors_refused.empty()) text += fmt::format("\n  {}\n", record.errors_refused);
  text += '\n';
  if (record.noisy_rows) {
    text += fmt::format("  rows         about {:.0f}\n", std::max(*record.noisy_rows, 0.0));
  }
  if (fit.explained) {
    text += fmt::format("  explains     about {:.0f} % of the variance ({:.0f} % to {:.0f} %)\n",
                        percent_of_all(fit.explained->share), percent_of_all(fit.explained->low),
                        percent_of_all(fit.explained->high));
  }
  text += fmt::format("  privacy      ε = {:g}, δ = {:g} for one row ({})\n", record.epsilon,
                      record.delta,
                      record.neighbours == Neighbours::kReplace ? "replaced" : "added or removed");
  for (const RunRecord::Own& own : record.own) {
    std::uint64_t clipped = 0;
    for (const RunRecord::Clipped& column : own.clipped) clipped += column.below + column.above;
    text += fmt::format("  {:<12} {}, {} left out, {} clipped (for its eyes only)\n", own.party,
                        counted(own.rows, "row", "rows"), own.dropped,
                        counted(clipped, "value", "values"));
  }
  for (const std::string& warning : record.warnings) text += fmt::format("\n  ! {}", warning);
  if (!record.warnings.empty()) text += '\n';
  return text;
}

std::string entries_text(const RunRecord& record) {
  std::string text = fmt::format("{}: {} over {} parties\n\n", record.study,
                                 to_string(record.solver), record.parties.size());
  for (const auto& c : record.coefficients) {
    text += fmt::format("  {:<8} {:>14.8g}\n", c.name, c.value);
  }
  return text + fmt::format("\n  privacy      ε = {:g}, δ = {:g} for one entry\n", record.epsilon,
                            record.delta);
}

Json kept_coefficient_json(const RunRecord::Coefficient& c) {
  return {{"name", c.name},
          {"value", c.value},
          {"standard_error", number_or_null(c.standard_error)},
          {"unshrunk", number_or_null(c.unshrunk)},
          {"interval", interval_json(c)}};
}

}  // namespace

Result<std::vector<double>> solve_sums(const PlannedStudy& planned, std::span<const double> sums) {
  const Quadratic noisy = from_theta(sums, planned.plan.dimension);
  SOTTO_ASSIGN(const auto solved, estimate(planned.study.solve.estimator,
                                           from_quadratic(noisy, planned.plan.sum_noise_sd)));
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
  SOTTO_ASSIGN(auto fit, fit_release(*record.release, own_selection(*record.release),
                                     {.estimator = record.estimator}));
  return model_of(std::move(record), std::move(fit));
}

Model model_of(RunRecord record, Fit fit) {
  for (const Fit::Coefficient& c : fit.coefficients) record.coefficients.push_back(kept(c));
  record.errors_refused = fit.errors_refused;
  record.noisy_rows = fit.rows;
  record.warnings.insert(record.warnings.end(), fit.warnings.begin(), fit.warnings.end());
  return {.record = std::move(record), .fit = std::move(fit)};
}

Json to_json(const Model& model) {
  const RunRecord& record = model.record;
  const std::optional<Explained>& explained = model.fit.explained;
  Json json{{"format", fmt::format("{}{}", kModelFormat, kModelVersion)},
            {"study", record.study},
            {"study_hash", record.study_hash},
            {"transcript_hash", record.transcript_hash},
            {"solver", to_string(record.solver)},
            {"estimator", to_string(record.estimator)},
            {"target", record.target},
            {"coefficients", json_list(record.coefficients, kept_coefficient_json)}};
  if (record.estimator == Estimator::kRidge) json["ridge"] = record.ridge;
  if (!record.instruments.empty()) json["instruments"] = record.instruments;
  if (!record.errors_refused.empty()) json["errors_refused"] = record.errors_refused;
  json["privacy"] = privacy_json(record);
  if (record.noisy_rows) json["rows"] = *record.noisy_rows;
  if (explained) {
    json["explained"] = {{"share", explained->share},
                         {"interval", {explained->low, explained->high}}};
  }
  json["encoding"] = record.encoding;
  json["warnings"] = record.warnings;
  if (record.simulated) json["simulated"] = true;
  if (!record.refit_of.empty()) json["refit_of"] = record.refit_of;
  if (record.release) json["release"] = release_json(*record.release);
  return with_digest(std::move(json));
}

std::string short_number(double value) {
  return fmt::format("{:.5g}", value);
}

std::string interval_text(const RunRecord::Coefficient& c) {
  if (!c.interval) return "–";
  return fmt::format("{} … {}", short_number(c.interval->first), short_number(c.interval->second));
}

std::string to_text(const Model& model) {
  return model.record.unit == Unit::kEntry ? entries_text(model.record)
                                           : table_text(model.record, model.fit);
}

}  // namespace sotto
