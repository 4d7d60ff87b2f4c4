#include "study/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/parallel.h"
#include "problem/theta.h"
#include "report/box_statistics.h"
#include "study/tracking.h"

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

// One chunk of trials of one solver: x[trial][party].
Result<TrialValues> run_chunk(const Study& study, const Plan& plan,
                              const std::optional<TrackingChoice>& tracking,
                              std::span<const Secret> secrets, const SimulationOptions& options) {
  if (tracking) return simulate_tracking(tracking->setup, secrets, options);
  AveragingSetup setup{
      .weights = study.weights, .consensus = plan.consensus, .noise = LocalNoise{}};
  if (const auto* local = std::get_if<LocalNoise>(&plan.noise)) setup.noise = *local;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) setup.noise = *shuffle;
  if (const auto* pairwise = std::get_if<PairwiseNoise>(&plan.noise)) setup.noise = *pairwise;
  auto values = simulate_averaging(setup, secrets, options);
  if (!values) return values;
  for (auto& trial : *values) {
    std::vector<double> before;
    std::vector<double> solved_before;
    for (auto& party : trial) {
      // With `exact` all parties hold the same bits: solved once.
      if (party != before) {
        auto solved = solve_sums(study, plan, party);
        if (!solved) return tl::unexpected(solved.error());
        before = party;
        solved_before = std::move(*solved);
      }
      party = solved_before;
    }
  }
  return values;
}

SolverSummary summarise(Solver solver, std::span<const TrialOutcome> runs) {
  std::vector<double> errors;
  for (const TrialOutcome& run : runs) {
    if (run.solver == solver) errors.push_back(run.squared_error);
  }
  std::ranges::sort(errors);
  return {.solver = solver,
          .mean = std::accumulate(errors.begin(), errors.end(), 0.0) /
                  static_cast<double>(errors.size()),
          .median = quantile(errors, 0.5),
          .q25 = quantile(errors, 0.25),
          .q75 = quantile(errors, 0.75)};
}

}  // namespace

Result<std::vector<double>> solve_sums(const Study& study, const Plan& plan,
                                       std::span<const double> sums) {
  const Quadratic noisy = from_theta(sums, plan.dimension);
  auto solved = estimate(study.solve.estimator, from_quadratic(noisy, plan.sum_noise_sd));
  if (!solved) return tl::unexpected(solved.error());
  return std::vector<double>(solved->theta.begin(), solved->theta.end());
}

Result<std::vector<TrialOutcome>> run_trials(const Study& study, const Plan& plan,
                                             const Problem& problem, std::uint64_t seed,
                                             std::size_t trials, const Progress& progress,
                                             std::size_t threads, const Cipher* cipher) {
  const auto secrets = secrets_of(problem, study.privacy.sensitivity);
  std::optional<TrackingChoice> tracking;
  if (const auto* noise = std::get_if<GradientNoise>(&plan.noise)) {
    auto choice = choose_tracking(study, *noise);
    if (!choice) return tl::unexpected(choice.error());
    tracking = *choice;
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
    const auto values = run_chunk(study, plan, tracking, secrets, options);
    const std::scoped_lock lock(mutex);
    if (!values) {
      if (!first_error) first_error = values.error();
      return;
    }
    for (std::size_t t = 0; t < options.trials; ++t) {
      TrialOutcome& outcome = outcomes[first + t];
      outcome.solver = plan.solver;
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
  if (first_error) return tl::unexpected(*first_error);
  return outcomes;
}

Result<Simulation> simulate_study(const Study& study, const RunOptions& options) {
  if (options.trials == 0 || options.trials > kMaxTrials) {
    return bad_input("E-trials", fmt::format("{} trials are out of range", options.trials),
                     fmt::format("choose from 1 to {}", kMaxTrials));
  }
  auto problem = load_problem(study);
  if (!problem) return tl::unexpected(problem.error());
  const auto cipher = cipher_for(study, options.cipher);
  if (!cipher) return tl::unexpected(cipher.error());
  Simulation simulation;
  simulation.seed = options.seed;
  simulation.x_star.assign(problem->solution.begin(), problem->solution.end());
  const std::size_t all = options.trials * options.solvers.size();
  for (std::size_t k = 0; k < options.solvers.size(); ++k) {
    auto plan = make_plan(study, options.solvers[k]);
    if (!plan) return tl::unexpected(plan.error());
    Progress progress;
    if (options.progress) {
      progress = [&, k](std::size_t done, std::size_t) {
        options.progress(k * options.trials + done, all);
      };
    }
    auto runs = run_trials(study, *plan, *problem, options.seed, options.trials, progress,
                           options.threads, cipher->get());
    if (!runs) return tl::unexpected(runs.error());
    simulation.summary.push_back(summarise(options.solvers[k], *runs));
    std::ranges::move(*runs, std::back_inserter(simulation.runs));
    simulation.plans.push_back(std::move(*plan));
  }
  return simulation;
}

nlohmann::ordered_json to_json(const Study& study, const Simulation& simulation) {
  using Json = nlohmann::ordered_json;
  auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json runs = Json::array();
  for (const TrialOutcome& run : simulation.runs) {
    Json x = Json::array();
    for (const double value : run.x) x.push_back(number(value));
    runs.push_back({{"solver", to_string(run.solver)},
                    {"trial", run.trial},
                    {"squared_error", number(run.squared_error)},
                    {"x", x}});
  }
  Json summary = Json::array();
  Json privacy = Json::object();
  for (std::size_t k = 0; k < simulation.summary.size(); ++k) {
    const SolverSummary& s = simulation.summary[k];
    summary.push_back({{"solver", to_string(s.solver)},
                       {"mean", number(s.mean)},
                       {"median", number(s.median)},
                       {"q25", number(s.q25)},
                       {"q75", number(s.q75)}});
    Json block = privacy_json(study, simulation.plans[k]);
    block["adversaries"] = to_json(study, simulation.plans[k])["adversaries"];
    privacy[to_string(s.solver)] = block;
  }
  return {{"study", study.name},
          {"study_hash", study.hash},
          {"seed", simulation.seed},
          {"x_star", simulation.x_star},
          {"runs", runs},
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
