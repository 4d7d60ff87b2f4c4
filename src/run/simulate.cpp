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
#include "run/ranks/simulate_ranks.h"
#include "run/ranks/trial_answers.h"
#include "session/wire.h"
#include "simulate/rounds.h"
#include "simulate/row_memory.h"

namespace sotto {
namespace {

// Trials that one thread takes at a time: several batches of the engine, and of few parties more,
// because each time the noise is prepared anew. Where their rounds are watched it is one batch, so
// that an observer knows whose they are.
constexpr std::size_t kChunk = 512;
constexpr std::size_t kChunkParties = 1 << 13;  // of all trials together
constexpr std::size_t kWatchedChunk = 8;
// Trials of fewer parties are divided between the cores; of more, each trial's parties are.
constexpr std::size_t kSharedFrom = 1 << 13;

// How many trials a thread takes at a time: few enough for every core to have some.
std::size_t chunk_of(const TrialRequest& request, std::size_t parties) {
  // Real ciphertexts take far longer than the engine.
  if (request.cipher != nullptr || parties >= kSharedFrom) return 1;
  constexpr std::size_t kSide = TrackingRows::kTrialsTogether;
  const std::size_t threads = request.threads == 0 ? core_count() : request.threads;
  const std::size_t groups = (request.trials + threads * kSide - 1) / (threads * kSide);
  if (request.every) return std::min(groups * kSide, kWatchedChunk);
  return std::min(groups * kSide, std::max(kChunk, kChunkParties / parties / kSide * kSide));
}

// What a party would make of its estimate of the sums of all tables.
Result<std::vector<double>> coefficients_of(const PlannedStudy& planned,
                                            std::span<const double> sums) {
  Outcome outcome;
  outcome.result.assign(sums.begin(), sums.end());
  SOTTO_ASSIGN(const auto model, conclude(planned, outcome, {}));
  std::vector<double> values;
  for (const Fit::Coefficient& coefficient : model.fit.coefficients) {
    values.push_back(coefficient.value);
  }
  return values;
}

}  // namespace

AveragingSetup averaging_setup(const PlannedStudy& planned) {
  return {.weights = planned.study.weights,
          .consensus = planned.plan.consensus,
          .noise = planned.plan.noise};
}

void warn_about_files(PlannedStudy& planned, const Problem& problem) {
  // A family's costs are public, and the plan has looked at them.
  if (!planned.plan.tracks_gradient() || planned.study.problem->files.empty()) return;
  if (auto warning = lambda_min_warning(planned.study, problem)) {
    planned.plan.warnings.push_back(std::move(*warning));
  }
}

SolverSummary summarise(const TrialOutcomes& runs) {
  std::vector<double> errors = runs.squared_errors;
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  return {.solver = runs.solver,
          .mean = sum / static_cast<double>(errors.size()),
          .median = quantile_of_any(errors, 0.5),
          .q25 = quantile_of_any(errors, 0.25),
          .q75 = quantile_of_any(errors, 0.75)};
}

Progress part_of(const Progress& progress, std::size_t part, std::size_t parts) {
  if (!progress) return {};
  return [&progress, part, parts](std::size_t done, std::size_t all) {
    progress(part * all + done, parts * all);
  };
}

Result<TrialResults> run_trials(const PlannedStudy& planned, const Problem& problem,
                                const TrialRequest& request) {
  const auto& [study, plan] = planned;
  const auto secrets = secrets_of(problem, study.privacy.sensitivity);
  std::optional<TrackingChoice> tracking = plan.tracking;
  if (const auto* noise = std::get_if<GradientNoise>(&plan.noise); noise != nullptr && !tracking) {
    SOTTO_ASSIGN(tracking, choose_tracking(study, *noise, problem));
  }
  std::optional<TrajectoryRecorder> recorder;
  if (request.every) {
    std::vector<double> goal(problem.solution.begin(), problem.solution.end());
    SOTTO_ASSIGN(recorder,
                 TrajectoryRecorder::make(
                     planned, tracking ? tracking->setup.rounds : plan.consensus.rounds,
                     *request.every, request.trials, std::move(goal),
                     [&](std::span<const double> sums) { return solve_sums(planned, sums); }));
  }
  const std::size_t parties = secrets.size();
  const std::size_t chunk = chunk_of(request, parties);
  const std::size_t trials = request.trials;
  const TrialAnswers answers(planned, problem.solution, tracking.has_value());
  const auto setup = averaging_setup(planned);
  TrialResults results;
  const auto m = static_cast<std::size_t>(problem.solution.size());
  results.runs.solver = plan.solver;
  results.runs.squared_errors.resize(trials);
  results.runs.answers.resize(trials * m);
  std::size_t done = 0;
  std::mutex mutex;
  std::optional<Error> first_error;
  const bool shared = parties >= kSharedFrom;
  const auto make_runner = [&] {
    SimulationOptions options;
    options.seed = request.seed;
    options.cipher = request.cipher;
    options.one_for_all = true;
    if (shared) options.threads = request.threads;
    return tracking ? tracking_trials(tracking->setup, secrets, options)
                    : averaging_trials(setup, secrets, options);
  };
  std::unique_ptr<TrialRunner> only;
  if (shared) only = make_runner();
  const auto run_chunk = [&](std::size_t first) -> Result<void> {
    const std::size_t count = std::min(chunk, trials - first);
    const std::unique_ptr<TrialRunner> own = shared ? nullptr : make_runner();
    TrialRunner& runner = shared ? *only : *own;
    SOTTO_ASSIGN(const auto held,
                 runner.run(first, count, recorder ? recorder->observer(first) : RoundObserver{}));
    return answers.judge(held, std::span(results.runs.squared_errors).subspan(first, count),
                         std::span(results.runs.answers).subspan(first * m, count * m));
  };
  const auto take = [&](std::size_t number) {
    {
      const std::scoped_lock lock(mutex);
      if (first_error) return;
    }
    const std::size_t first = number * chunk;
    const auto ran = run_chunk(first);
    const std::scoped_lock lock(mutex);
    if (!ran) {
      if (!first_error) first_error = ran.error();
      return;
    }
    done += std::min(chunk, trials - first);
    if (request.progress) request.progress(done, trials);
  };
  const std::size_t chunks = (trials + chunk - 1) / chunk;
  if (shared) {
    for (std::size_t number = 0; number < chunks; ++number) take(number);
  } else {
    parallel_for(chunks, request.threads, take);
  }
  if (first_error) return *first_error;
  if (recorder) {
    SOTTO_ASSIGN(results.trajectory, recorder->take());
  }
  return results;
}

Result<Simulation> simulate_study(const Study& study, const RunOptions& options) {
  if (options.trials == 0 || options.trials > kMaxTrials) {
    return bad_input("E-trials", fmt::format("{} trials are out of range", options.trials),
                     fmt::format("choose from 1 to {}", kMaxTrials));
  }
  if (options.ranks != nullptr) return simulate_on_ranks(study, options);
  SOTTO_TRY(require_memory(study, options.solvers, static_cast<double>(available_memory())));
  SOTTO_ASSIGN(auto problem, load_problem(study));
  SOTTO_ASSIGN(const auto cipher, cipher_for(study, options.cipher));
  Study sized = study;  // files say how many columns they have
  sized.problem->dimension = problem.dimension();
  Simulation simulation;
  simulation.seed = options.seed;
  simulation.x_star.assign(problem.solution.begin(), problem.solution.end());
  for (std::size_t k = 0; k < options.solvers.size(); ++k) {
    auto made = plan_study(sized, options.solvers[k]);
    if (!made) {
      simulation.refused.emplace_back(options.solvers[k], made.error());
      continue;
    }
    PlannedStudy planned = std::move(*made);
    warn_about_files(planned, problem);
    SOTTO_ASSIGN(auto results,
                 run_trials(planned, problem,
                            {.seed = options.seed,
                             .trials = options.trials,
                             .progress = part_of(options.progress, k, options.solvers.size()),
                             .threads = options.threads,
                             .cipher = cipher.get()}));
    simulation.summary.push_back(summarise(results.runs));
    simulation.runs.push_back(std::move(results.runs));
    if (sized.faults) simulation.faults.push_back(simulate_faults(planned, problem.costs));
    simulation.plans.push_back(std::move(planned.plan));
  }
  if (simulation.plans.empty()) return simulation.refused.front().second;
  return simulation;
}

Result<Outcome> run_tables(const PlannedStudy& planned, std::span<const Input> inputs,
                           const TableOptions& options) {
  const Study& study = planned.study;
  const Plan& plan = planned.plan;
  check(study.data && !plan.tracks_gradient(), "tables are averaged, never tracked");
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
  std::optional<TrajectoryRecorder> recorder;
  if (options.trajectory != nullptr) {
    SOTTO_ASSIGN(recorder,
                 TrajectoryRecorder::make(
                     planned, plan.consensus.rounds, options.every, 1, std::nullopt,
                     [&](std::span<const double> sums) { return coefficients_of(planned, sums); }));
    simulation.on_round = recorder->observer(0);
  }
  std::vector<Secret> secrets;
  for (const Input& input : inputs) secrets.push_back(input.secret);
  SOTTO_ASSIGN(const auto values,
               simulate_averaging(averaging_setup(planned), secrets, simulation));
  if (recorder) {
    SOTTO_ASSIGN(*options.trajectory, recorder->take());
  }
  outcome.result.assign(values.at(0, 0).begin(), values.at(0, 0).end());
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

Json graph_json(const Study& study) {
  Json edges;
  if (study.graph().size() <= kMaxNamedParties) {
    edges = Json::array();
    const auto weights = study.weights.per_edge();
    for (std::size_t e = 0; e < weights.size(); ++e) {
      const Edge edge = study.graph().edges()[e];
      edges.push_back({edge.a + 1, edge.b + 1, weights[e]});
    }
  }
  const auto uniform = study.weights.uniform_weight();
  return {{"topology", to_string(study.graph().topology())},
          {"parties", study.graph().size()},
          {"weight", uniform ? Json(*uniform) : Json(nullptr)},
          {"edges", edges}};
}

Json to_json(const Study& study, const Simulation& simulation) {
  const auto number = [](double value) { return number_or_null(value); };
  Json trials = Json::array();
  for (const TrialOutcomes& runs : simulation.runs) {
    for (std::size_t t = 0; t < runs.size(); ++t) {
      trials.push_back({{"solver", to_string(runs.solver)},
                        {"trial", t},
                        {"squared_error", number(runs.squared_errors[t])},
                        {"x", json_list(runs.x(t), number)}});
    }
  }
  Json summary = Json::array();
  Json privacy = Json::object();
  Json plans = Json::object();
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
    plans[to_string(s.solver)] = to_json(study, simulation.plans[k]);
  }
  for (const auto& [solver, error] : simulation.refused) {
    summary.push_back({{"solver", to_string(solver)},
                       {"error",
                        {{"name", error.name},
                         {"what", error.what},
                         {"where", error.where},
                         {"fix", error.fix}}}});
  }
  Json json{
      {"study", study.name},         {"study_hash", study.hash}, {"seed", simulation.seed},
      {"x_star", simulation.x_star}, {"runs", trials},           {"summary", summary},
      {"privacy", privacy},          {"plans", plans},           {"graph", graph_json(study)}};
  for (std::size_t k = 0; k < simulation.faults.size(); ++k) {
    json["faults"][to_string(simulation.plans[k].solver)] =
        to_json(*study.faults, simulation.faults[k]);
  }
  return json;
}

std::string to_text(const Study& study, const Simulation& simulation) {
  const TrialOutcomes& first = simulation.runs.front();
  const std::size_t trials = first.size();
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
  for (const auto& [solver, error] : simulation.refused) {
    text += fmt::format("  {:<13} refused: {} ({})\n", to_string(solver), error.what, error.fix);
  }
  text += "\n  solution without noise:";
  for (const double value : simulation.x_star) text += fmt::format(" {:.6g}", value);
  text += fmt::format("\n  {}'s first answer:", to_string(first.solver));
  for (const double value : first.x(0)) text += fmt::format(" {:.6g}", value);
  text += '\n';
  for (std::size_t k = 0; k < simulation.faults.size(); ++k) {
    text += fmt::format("\n  {} {}", to_string(simulation.plans[k].solver),
                        to_text(*study.faults, simulation.faults[k]));
  }
  for (const Plan& plan : simulation.plans) {
    for (const std::string& warning : plan.warnings) {
      text += fmt::format("\n  ! {}: {}", to_string(plan.solver), warning);
    }
  }
  return text + '\n';
}

}  // namespace sotto
