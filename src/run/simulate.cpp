// All parties of a study in one process: many trials over costs, or one release over tables.
#include "run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/check.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/statistics.h"
#include "moments/quadratic.h"
#include "plan/simulated_problem.h"
#include "session/wire.h"

namespace sotto {
namespace {

// Trials that one thread takes at a time: what the engine runs side by side.
constexpr std::size_t kChunk = 8;

double squared_distance(std::span<const double> x, const Eigen::VectorXd& solution) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = x[k] - solution[static_cast<Eigen::Index>(k)];
    sum += difference * difference;
  }
  return sum;
}

AveragingSetup averaging_setup(const PlannedStudy& planned) {
  return {.weights = planned.study.weights,
          .consensus = planned.plan.consensus,
          .noise = planned.plan.noise};
}

// One chunk of trials of one solver: x[trial][party].
Result<TrialValues> run_chunk(const PlannedStudy& planned,
                              const std::optional<TrackingChoice>& tracking,
                              std::span<const Secret> secrets, const SimulationOptions& options) {
  if (tracking) return simulate_tracking(tracking->setup, secrets, options);
  SOTTO_ASSIGN(auto values, simulate_averaging(averaging_setup(planned), secrets, options));
  for (auto& trial : values) {
    std::vector<double> before;
    std::vector<double> solved_before;
    for (auto& party : trial) {
      // With `exact` all parties hold the same bits: solved once.
      if (party != before) {
        SOTTO_ASSIGN(auto solved, solve_sums(planned, party));
        before = party;
        solved_before = std::move(solved);
      }
      party = solved_before;
    }
  }
  return values;
}

SolverSummary summarise(Solver solver, std::span<const TrialOutcome> runs) {
  std::vector<double> errors;
  for (const TrialOutcome& run : runs) errors.push_back(run.squared_error);
  std::ranges::sort(errors);
  return {.solver = solver,
          .mean = std::accumulate(errors.begin(), errors.end(), 0.0) /
                  static_cast<double>(errors.size()),
          .median = quantile(errors, 0.5),
          .q25 = quantile(errors, 0.25),
          .q75 = quantile(errors, 0.75)};
}

}  // namespace

Progress part_of(const Progress& progress, std::size_t part, std::size_t parts) {
  if (!progress) return {};
  return [&progress, part, parts](std::size_t done, std::size_t all) {
    progress(part * all + done, parts * all);
  };
}

Result<std::vector<TrialOutcome>> run_trials(const PlannedStudy& planned, const Problem& problem,
                                             std::uint64_t seed, std::size_t trials,
                                             const Progress& progress, std::size_t threads,
                                             const Cipher* cipher) {
  const auto& [study, plan] = planned;
  const auto secrets = secrets_of(problem, study.privacy.sensitivity);
  std::optional<TrackingChoice> tracking = plan.tracking;
  if (const auto* noise = std::get_if<GradientNoise>(&plan.noise); noise != nullptr && !tracking) {
    SOTTO_ASSIGN(tracking, choose_tracking(study, *noise, problem));
  }
  // Real ciphertexts take far longer than the engine: every core gets its own trial.
  const std::size_t chunk = cipher != nullptr ? 1 : kChunk;
  std::vector<TrialOutcome> outcomes(trials);
  std::size_t done = 0;
  std::mutex mutex;
  std::optional<Error> first_error;
  parallel_for((trials + chunk - 1) / chunk, threads, [&](std::size_t number) {
    {
      const std::scoped_lock lock(mutex);
      if (first_error) return;
    }
    const std::size_t first = number * chunk;
    SimulationOptions options;
    options.seed = seed;
    options.first_trial = first;
    options.cipher = cipher;
    options.trials = std::min(chunk, trials - first);
    const auto values = run_chunk(planned, tracking, secrets, options);
    const std::scoped_lock lock(mutex);
    if (!values) {
      if (!first_error) first_error = values.error();
      return;
    }
    for (std::size_t t = 0; t < options.trials; ++t) {
      TrialOutcome& outcome = outcomes[first + t];
      outcome.solver = planned.plan.solver;
      outcome.trial = first + t;
      outcome.x = (*values)[t][0];
      for (const auto& x : (*values)[t]) {
        outcome.squared_error += squared_distance(x, problem.solution);
      }
      outcome.squared_error /= static_cast<double>((*values)[t].size());
    }
    done += options.trials;
    if (progress) progress(done, trials);
  });
  if (first_error) return *first_error;
  return outcomes;
}

Result<Simulation> simulate_study(const Study& study, const RunOptions& options) {
  if (options.trials == 0 || options.trials > kMaxTrials) {
    return bad_input("E-trials", fmt::format("{} trials are out of range", options.trials),
                     fmt::format("choose from 1 to {}", kMaxTrials));
  }
  SOTTO_ASSIGN(auto problem, load_problem(study));
  SOTTO_ASSIGN(const auto cipher, cipher_for(study, options.cipher));
  Study sized = study;  // files say how many columns they have
  sized.problem->dimension = problem.dimension();
  Simulation simulation;
  simulation.seed = options.seed;
  simulation.x_star.assign(problem.solution.begin(), problem.solution.end());
  for (std::size_t k = 0; k < options.solvers.size(); ++k) {
    SOTTO_ASSIGN(auto planned, plan_study(sized, options.solvers[k]));
    SOTTO_ASSIGN(auto runs, run_trials(planned, problem, options.seed, options.trials,
                                       part_of(options.progress, k, options.solvers.size()),
                                       options.threads, cipher.get()));
    simulation.summary.push_back(summarise(options.solvers[k], runs));
    std::ranges::move(runs, std::back_inserter(simulation.runs));
    simulation.plans.push_back(std::move(planned.plan));
  }
  return simulation;
}

Result<Outcome> run_tables(const PlannedStudy& planned, std::span<const Input> inputs,
                           const TableOptions& options) {
  const Study& study = planned.study;
  const Plan& plan = planned.plan;
  check(study.data && plan.solver != Solver::kGt, "tables are averaged, never tracked");
  check(inputs.size() == study.graph().size(), "one table per party");
  Outcome outcome;
  SimulationOptions simulation;
  simulation.cipher = options.cipher;
  simulation.random_from = options.random_from;
  simulation.seed = options.seed;
  simulation.first_trial = options.trial;
  if (options.watched) {
    simulation.on_release = [&](std::uint64_t, std::span<const Released> releases) {
      std::vector<std::string> sent;
      for (const Released& release : releases) sent.push_back(digest_of_release(release.indices));
      outcome.transcript_hash = transcript_hash(study.hash, sent);
      outcome.convergence = convergence(study.weights, plan.consensus, releases);
    };
  }
  std::vector<Secret> secrets;
  for (const Input& input : inputs) secrets.push_back(input.secret);
  SOTTO_ASSIGN(auto values, simulate_averaging(averaging_setup(planned), secrets, simulation));
  outcome.result = std::move(values[0][0]);
  return outcome;
}

Result<Model> simulate_tables(const PlannedStudy& planned, std::vector<PartyTable> tables,
                              const TableOptions& options) {
  std::vector<Input> inputs;
  std::vector<RunRecord::Own> own;
  for (PartyTable& table : tables) {
    own.push_back(table.own);
    inputs.push_back(input_of(planned, std::move(table)));
  }
  SOTTO_ASSIGN(const auto outcome, run_tables(planned, inputs, options));
  SOTTO_ASSIGN(auto model, conclude(planned, outcome, std::move(own)));
  if (options.random_from == RandomFrom::kSeed) model.record.seed = options.seed;
  return model;
}

Json to_json(const Study& study, const Simulation& simulation) {
  const auto number = [](double value) { return number_or_null(value); };
  const auto trial_json = [&](const TrialOutcome& run) -> Json {
    return {{"solver", to_string(run.solver)},
            {"trial", run.trial},
            {"squared_error", number(run.squared_error)},
            {"x", json_list(run.x, number)}};
  };
  Json summary = Json::array();
  Json privacy = Json::object();
  for (std::size_t k = 0; k < simulation.summary.size(); ++k) {
    const SolverSummary& s = simulation.summary[k];
    summary.push_back({{"solver", to_string(s.solver)},
                       {"mean", number_or_null(s.mean)},
                       {"median", number_or_null(s.median)},
                       {"q25", number_or_null(s.q25)},
                       {"q75", number_or_null(s.q75)}});
    Json block = privacy_json(study, simulation.plans[k]);
    block["adversaries"] = to_json(study, simulation.plans[k])["adversaries"];
    privacy[to_string(s.solver)] = block;
  }
  return {{"study", study.name},
          {"study_hash", study.hash},
          {"seed", simulation.seed},
          {"x_star", simulation.x_star},
          {"runs", json_list(simulation.runs, trial_json)},
          {"summary", summary},
          {"privacy", privacy}};
}

std::string to_text(const Study& study, const Simulation& simulation) {
  const std::size_t trials =
      simulation.runs.size() / std::max<std::size_t>(1, simulation.summary.size());
  std::string text =
      fmt::format("{}: {} parties, {} trial{} per solver, seed {}\n\n", study.name,
                  study.graph().size(), trials, trials == 1 ? "" : "s", simulation.seed);
  text += fmt::format("  squared error {:>14} {:>12} {:>12} {:>12} {:>14}\n", "median", "mean",
                      "q25", "q75", "noise on sum");
  for (std::size_t k = 0; k < simulation.summary.size(); ++k) {
    const SolverSummary& s = simulation.summary[k];
    text += fmt::format("  {:<13} {:>14.4g} {:>12.4g} {:>12.4g} {:>12.4g} {:>14.4g}\n",
                        to_string(s.solver), s.median, s.mean, s.q25, s.q75,
                        simulation.plans[k].sum_noise_sd);
  }
  text += "\n  solution without noise:";
  for (const double value : simulation.x_star) text += fmt::format(" {:.6g}", value);
  const TrialOutcome& first = simulation.runs.front();
  text += fmt::format("\n  {}'s first answer:", to_string(first.solver));
  for (const double value : first.x) text += fmt::format(" {:.6g}", value);
  text += '\n';
  for (const Plan& plan : simulation.plans) {
    for (const std::string& warning : plan.warnings) {
      text += fmt::format("\n  ! {}: {}", to_string(plan.solver), warning);
    }
  }
  return text + '\n';
}

}  // namespace sotto
