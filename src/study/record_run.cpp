#include "study/record_run.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/check.h"
#include "study/model_file.h"
#include "study/transcript.h"

namespace sotto {
namespace {

AveragingSetup setup_of(const Study& study, const Plan& plan) {
  AveragingSetup setup{
      .weights = study.weights, .consensus = plan.consensus, .noise = LocalNoise{}};
  if (const auto* local = std::get_if<LocalNoise>(&plan.noise)) setup.noise = *local;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) setup.noise = *shuffle;
  if (const auto* pairwise = std::get_if<PairwiseNoise>(&plan.noise)) setup.noise = *pairwise;
  return setup;
}

Result<std::vector<double>> release(const Study& study, const Plan& plan,
                                    std::span<const PartyTable> tables,
                                    const RecordRunOptions& options, ReleaseObserver observer) {
  check(study.data && plan.solver != Solver::kGt, "tables are averaged, never tracked");
  check(tables.size() == study.graph().size(), "one table per party");
  SimulationOptions simulation;
  simulation.cipher = options.cipher;
  simulation.random_from = options.random_from;
  simulation.seed = options.seed;
  simulation.first_trial = options.trial;
  simulation.on_release = std::move(observer);
  std::vector<Secret> secrets;
  for (const PartyTable& table : tables) secrets.push_back(secret_of(study, plan, table));
  auto values = simulate_averaging(setup_of(study, plan), secrets, simulation);
  if (!values) return tl::unexpected(values.error());
  return std::move((*values)[0][0]);
}

std::string number(double value) {
  return fmt::format("{:.5g}", value);
}

}  // namespace

// Sums that are exact integers, and what each entry weighs in φ. Without error bars Σy², the
// last entry, stays at home.
Secret secret_of(const Study& study, const Plan& plan, const PartyTable& table) {
  IntegerVector sums = table.moments.sums;
  auto weights = entry_weights(table.moments.dimension,
                               released_weights(study.privacy.neighbours, study.solve));
  sums.resize(plan.entries);
  weights.resize(plan.entries);
  return Secret::of_sums(std::move(sums), moments_grid(), std::move(weights));
}

Result<std::vector<double>> release_sums(const Study& study, const Plan& plan,
                                         std::span<const PartyTable> tables,
                                         const RecordRunOptions& options) {
  return release(study, plan, tables, options, {});
}

Result<RecordRun> run_on_tables(const Study& study, const Plan& plan,
                                std::span<const PartyTable> tables,
                                const RecordRunOptions& options) {
  RecordRun run;
  auto sums =
      release(study, plan, tables, options, [&](std::uint64_t, std::span<const Released> releases) {
        run.transcript_hash = transcript_hash(releases);
        run.convergence = convergence(study.weights, plan.consensus, releases);
      });
  if (!sums) return tl::unexpected(sums.error());
  run.sums = std::move(*sums);
  auto fit = fit_sums(study, plan, run.sums);
  if (!fit) return tl::unexpected(fit.error());
  run.fit = std::move(*fit);
  return run;
}

RunRecord public_record(const Study& study, const Plan& plan) {
  RunRecord record;
  record.study = study.name;
  record.study_hash = study.hash;
  record.solver = to_string(plan.solver);
  record.estimator = to_string(study.solve.estimator);
  record.epsilon = study.privacy.budget.epsilon.value();
  record.delta = study.privacy.budget.delta.value();
  record.unit = study.privacy.unit == Unit::kRecord ? "record" : "entry";
  record.neighbours = study.privacy.neighbours == Neighbours::kReplace ? "replace" : "add-remove";
  record.sensitivity = study.privacy.sensitivity.value();
  record.kappa_bar = plan.kappa_bar;
  for (const Adversary& adversary : plan.adversaries) {
    record.adversaries.push_back({.name = adversary.name,
                                  .shift = adversary.shift,
                                  .delta_at_epsilon = adversary.delta_at_epsilon,
                                  .epsilon_at_delta = adversary.epsilon_at_delta});
  }
  for (const PartyTerms& party : study.parties) record.parties.push_back(party.name);
  for (const Edge& edge : study.graph().edges()) record.edges.emplace_back(edge.a, edge.b);
  record.sum_noise_sd = plan.sum_noise_sd;
  record.central_ratio = plan.central_ratio;
  record.consensus = plan.rounds.method;
  record.rounds = plan.consensus.rounds;
  record.rate = plan.consensus.rate;
  record.warnings = plan.warnings;
  return record;
}

RunRecord record_of(const Study& study, const Plan& plan, std::span<const PartyTable> tables,
                    const RecordRun& run, const RecordRunOptions& options) {
  RunRecord record = public_record(study, plan);
  record.seed = options.random_from == RandomFrom::kSeed ? options.seed : 0;
  record.convergence = run.convergence;
  for (const RecordFit::Coefficient& c : run.fit.coefficients) {
    RunRecord::Coefficient kept{.name = c.name,
                                .value = c.value,
                                .standard_error = c.standard_error,
                                .interval = std::nullopt,
                                .unshrunk = c.unshrunk};
    if (c.standard_error) {
      const double half = kInterval95 * *c.standard_error;
      kept.interval = {*c.unshrunk - half, *c.unshrunk + half};
    }
    record.coefficients.push_back(std::move(kept));
  }
  record.errors_refused = run.fit.errors_refused;
  record.noisy_rows = run.fit.rows;
  record.target = study.data->target.column;
  record.encoding = schema_json(*study.data);
  record.warnings.insert(record.warnings.end(), run.fit.warnings.begin(), run.fit.warnings.end());
  for (const PartyTable& table : tables) record.own.push_back(table.own);
  record.transcript_hash = run.transcript_hash;
  return record;
}

std::string to_text(const RunRecord& record, const RecordFit& fit) {
  std::string text = fmt::format("{}: {} over {} parties' tables, {}\n\n", record.study,
                                 record.target, record.parties.size(), record.solver);
  text += fmt::format("  {:<24} {:>12} {:>12} {:>26}\n", record.estimator, "value", "unshrunk",
                      "95 % interval");
  for (const RunRecord::Coefficient& c : record.coefficients) {
    std::string interval = "–";
    if (c.interval) {
      interval = fmt::format("{} … {}", number(c.interval->first), number(c.interval->second));
    }
    text += fmt::format("  {:<24} {:>12} {:>12} {:>26}\n", c.name, number(c.value),
                        c.unshrunk ? number(*c.unshrunk) : "–", interval);
  }
  if (!record.errors_refused.empty()) text += fmt::format("\n  {}\n", record.errors_refused);
  text += '\n';
  if (record.noisy_rows) text += fmt::format("  rows         about {:.0f}\n", *record.noisy_rows);
  if (fit.explained) {
    text += fmt::format("  explains     about {:.0f} % of the variance ({:.0f} % to {:.0f} %)\n",
                        100 * fit.explained->share, 100 * fit.explained->low,
                        100 * fit.explained->high);
  }
  text +=
      fmt::format("  privacy      ε = {:g}, δ = {:g} for one row ({})\n", record.epsilon,
                  record.delta, record.neighbours == "replace" ? "replaced" : "added or removed");
  for (const RunRecord::Own& own : record.own) {
    std::uint64_t clipped = 0;
    for (const RunRecord::Clipped& column : own.clipped) clipped += column.below + column.above;
    text += fmt::format("  {:<12} {} rows, {} left out, {} values clipped (for its eyes only)\n",
                        own.party, own.rows, own.dropped, clipped);
  }
  for (const std::string& warning : record.warnings) text += fmt::format("\n  ! {}", warning);
  if (!record.warnings.empty()) text += '\n';
  return text;
}

}  // namespace sotto
