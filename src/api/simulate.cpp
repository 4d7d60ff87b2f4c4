// sotto::v1::simulate and simulate_tables: the study's run, all parties in this process.

#include "run/simulate.h"

#include <sotto/simulate.h>

#include "api/inside.h"
#include "base/json.h"
#include "run/tables.h"

namespace sotto::v1 {

Result<Simulation> simulate(const Study& study, const SimulateOptions& options) {
  RunOptions run{.solvers = {},
                 .seed = options.seed,
                 .trials = options.trials,
                 .progress = options.progress,
                 .threads = options.threads};
  for (const Solver solver : options.solvers) run.solvers.push_back(inside(solver));
  if (run.solvers.empty()) run.solvers.push_back(study.inside().solver);
  SOTTO_ASSIGN(auto made, simulate_study(study.inside(), run));
  Simulation simulation{.x_star = made.x_star, .json = json_text(to_json(study.inside(), made))};
  for (auto& trial : made.runs) {
    simulation.trials.push_back({.solver = outside(trial.solver),
                                 .trial = trial.trial,
                                 .squared_error = trial.squared_error,
                                 .x = std::move(trial.x)});
  }
  for (const SolverSummary& row : made.summary) {
    simulation.summary.push_back({.solver = outside(row.solver),
                                  .mean = row.mean,
                                  .median = row.median,
                                  .q25 = row.q25,
                                  .q75 = row.q75});
  }
  return simulation;
}

Result<Model> simulate_tables(const Study& study, const std::vector<std::string>& files) {
  const sotto::Study& terms = study.inside();
  SOTTO_ASSIGN(const auto planned, plan_study(terms, terms.solver));
  SOTTO_ASSIGN(auto tables, read_tables(terms, {.files = files}));
  SOTTO_ASSIGN(const auto model, sotto::simulate_tables(planned, std::move(tables)));
  return Model::parse(json_text(to_json(model)), "model.json");
}

}  // namespace sotto::v1
