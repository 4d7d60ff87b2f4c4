// sotto::v1::simulate and simulate_tables: the study's run, all parties in this process.

#include "run/simulate.h"

#include <sotto/simulate.h>

#include <mutex>
#include <optional>

#include "api/account.h"
#include "api/inside.h"
#include "base/json.h"
#include "base/version.h"
#include "run/charge.h"
#include "run/lab/sweep.h"
#include "run/tables.h"

namespace sotto::v1 {
namespace {

// The whole way over tables, paid for.
Result<Model> release(const Study& study, std::vector<TableRequest> requests,
                      const std::optional<Account>& account) {
  const sotto::Study& terms = study.inside();
  SOTTO_ASSIGN(const auto planned, plan_study(terms, terms.solver));
  std::unique_lock<std::mutex> spending;
  std::optional<Charge> charge;
  if (account) {
    spending = std::unique_lock(account->inside().mutex);
    SOTTO_ASSIGN(auto held, Charge::reserve(account->inside().store, planned, account->name()));
    charge.emplace(std::move(held));
  }
  for (TableRequest& request : requests) request.digest = false;  // models have no sources
  SOTTO_ASSIGN(auto tables, read_tables(terms, requests, TableSplit::Kind::kInterleaved));
  SOTTO_ASSIGN(const auto model, sotto::simulate_tables(planned, std::move(tables)));
  if (charge) SOTTO_TRY(charge->spend());
  return Model::parse(json_text(to_json(model)), "model.json");
}

}  // namespace

Result<Simulation> simulate(const Study& study, const SimulateOptions& options) {
  RunOptions run{.solvers = {},
                 .seed = options.seed,
                 .trials = options.trials,
                 .progress = options.progress,
                 .threads = options.threads};
  for (const Solver solver : options.solvers) run.solvers.push_back(inside(solver));
  if (run.solvers.empty()) run.solvers.push_back(study.inside().solver);
  SOTTO_ASSIGN(auto made, simulate_study(study.inside(), run));
  Simulation simulation{.x_star = made.x_star, .json = {}};
  if (options.json) simulation.json = json_text(to_json(study.inside(), made));
  for (TrialOutcomes& runs : made.runs) {
    simulation.trials.push_back({.solver = outside(runs.solver),
                                 .squared_errors = std::move(runs.squared_errors),
                                 .x = std::move(runs.answers)});
  }
  for (const SolverSummary& row : made.summary) {
    simulation.summary.push_back({.solver = outside(row.solver),
                                  .mean = row.mean,
                                  .median = row.median,
                                  .q25 = row.q25,
                                  .q75 = row.q75});
  }
  for (const auto& [solver, error] : made.refused) {
    simulation.refused.emplace_back(outside(solver), error);
  }
  return simulation;
}

Result<Model> simulate_tables(const Study& study, const std::vector<std::string>& files) {
  std::vector<TableRequest> requests;
  for (const std::string& place : files) {
    for (const std::string& file : files_named(place)) requests.emplace_back(file);
  }
  return release(study, std::move(requests), std::nullopt);
}

Result<Model> simulate_tables(const Study& study, const std::vector<Table>& tables,
                              const std::optional<Account>& account) {
  std::vector<TableRequest> requests;
  for (const Table& table : tables) requests.push_back(table.inside());
  return release(study, std::move(requests), account);
}

Result<std::string> sweep(const Study& study, const SweepOptions& settings,
                          const SimulateOptions& options) {
  sotto::SweepOptions sweeping{.keys = {},
                               .solvers = {},
                               .seed = options.seed,
                               .trials = options.trials,
                               .version = sotto_version(),
                               .folder = settings.folder,
                               .progress = options.progress,
                               .threads = options.threads};
  for (const auto& [key, values] : settings.settings) sweeping.keys.push_back({key, values});
  for (const Solver solver : options.solvers) sweeping.solvers.push_back(inside(solver));
  if (settings.independent) sweeping.draws = PointDraws::kIndependent;
  SOTTO_ASSIGN(const auto points, sotto::sweep(study.source(), sweeping));
  return json_text(to_json(points, sweeping));
}

}  // namespace sotto::v1
