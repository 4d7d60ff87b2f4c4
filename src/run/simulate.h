#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "run/input.h"
#include "run/model.h"
#include "simulate/simulation.h"

namespace sotto {

// One trial of one solver, all parties in this process.
struct TrialOutcome {
  Solver solver = Solver::kDishuf;
  std::size_t trial = 0;
  double squared_error = 0;  // (1/n)·Σ_i ‖x_i − x*‖²
  std::vector<double> x;     // the first party's
};

struct SolverSummary {
  Solver solver = Solver::kDishuf;
  double mean = 0;  // of the squared errors
  double median = 0;
  double q25 = 0;
  double q75 = 0;
};

// A study that brings its own [problem], simulated.
struct Simulation {
  std::uint64_t seed = 0;
  std::vector<double> x_star;
  std::vector<Plan> plans;  // one per solver
  std::vector<TrialOutcome> runs;
  std::vector<SolverSummary> summary;
};

// How many of all trials are done.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

// Of one part among several of the same size; empty if `progress` is, which outlives it.
[[nodiscard]] Progress part_of(const Progress& progress, std::size_t part, std::size_t parts);

struct RunOptions {
  std::vector<Solver> solvers;
  std::uint64_t seed = 0;
  std::size_t trials = 1;
  Progress progress = {};
  std::size_t threads = 0;  // 0: one per core
  CipherChoice cipher = CipherChoice::kIdeal;
};

inline constexpr std::size_t kMaxTrials = 10'000'000;

// Simulates a study that brings its own [problem]. Uses all cores; the result
// does not depend on how many there are.
[[nodiscard]] Result<Simulation> simulate_study(const Study& study, const RunOptions& options);

// The same for a plan and a problem made elsewhere (the paper's case studies). Without a cipher,
// the ideal one.
[[nodiscard]] Result<std::vector<TrialOutcome>> run_trials(
    const PlannedStudy& planned, const Problem& problem, std::uint64_t seed, std::size_t trials,
    const Progress& progress, std::size_t threads = 0, const Cipher* cipher = nullptr);

// Where the noise of a simulation over tables comes from. The operating system, unless the tables
// are made up: a seed that somebody knows is noise that somebody can subtract.
struct TableOptions {
  const Cipher* cipher = nullptr;  // dishuf's; the ideal one by default
  RandomFrom random_from = RandomFrom::kOperatingSystem;
  std::uint64_t seed = 0;
  std::uint64_t trial = 0;
  bool watched = true;  // also hash the releases, and follow the rounds
};

// How the parties' averages came together: max_i ‖y_i − ȳ‖ after a round, relative
// to the start, at up to kConvergencePoints rounds. In `exact`, y_i is the mean of
// the releases that have reached party i. Empty where the values are past what
// doubles hold, or the network is too large to do it again for a chart.
inline constexpr std::size_t kConvergencePoints = 40;
[[nodiscard]] std::vector<RunRecord::RoundPoint> convergence(const Weights& weights,
                                                             const ConsensusPlan& plan,
                                                             std::span<const Released> releases);

// Seals, releases and averages what all parties bring, in this process. For `ac`, `dishuf` and
// `pairwise`.
[[nodiscard]] Result<Outcome> run_tables(const PlannedStudy& planned, std::span<const Input> inputs,
                                         const TableOptions& options = {});

// The whole way over tables, the record included.
[[nodiscard]] Result<Model> simulate_tables(const PlannedStudy& planned,
                                            std::vector<PartyTable> tables,
                                            const TableOptions& options = {});

[[nodiscard]] nlohmann::ordered_json to_json(const Study& study, const Simulation& simulation);
[[nodiscard]] std::string to_text(const Study& study, const Simulation& simulation);

}  // namespace sotto
