#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "run/input.h"
#include "run/lab/faults.h"
#include "run/lab/trajectory.h"
#include "run/model.h"
#include "simulate/simulation.h"

namespace sotto {

// All trials of one solver, in their order; all parties in this process.
struct TrialOutcomes {
  Solver solver = Solver::kDishuf;
  std::vector<double> squared_errors;  // (1/n)·Σ_i ‖x_i − x*‖²
  std::vector<double> answers;         // the first party's x, trial after trial

  [[nodiscard]] std::size_t size() const { return squared_errors.size(); }
  [[nodiscard]] std::span<const double> x(std::size_t trial) const {
    const std::size_t m = answers.size() / size();
    return std::span(answers).subspan(trial * m, m);
  }
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
  std::vector<Plan> plans;          // one per solver
  std::vector<TrialOutcomes> runs;  // one per plan, and so are
  std::vector<SolverSummary> summary;
  std::vector<std::pair<Solver, Error>> refused;  // solvers that cannot do it, and why
  // With [faults]: what became of each solver's run on that network, in the order of `plans`.
  std::vector<Result<FaultReport>> faults;
};

struct RanksOfRun;

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
  // With several processes, or a file to go on from: run/ranks/simulate_ranks.h. The same bits.
  const RanksOfRun* ranks = nullptr;
};

inline constexpr std::size_t kMaxTrials = 10'000'000;

// Simulates a study that brings its own [problem]. Uses all cores; the result does not depend on
// how many there are. A solver whose plan is refused is left out with its reason, unless all are.
[[nodiscard]] Result<Simulation> simulate_study(const Study& study, const RunOptions& options);

// About how many bytes a simulated trial of a [problem] takes with one solver, the graph aside.
[[nodiscard]] double simulation_bytes(const Study& study, Solver solver);
// E-simulate-memory where the largest of them does not fit into `available` bytes (0: nobody
// knows) of each of so many ranks, with what would.
[[nodiscard]] Result<void> require_memory(const Study& study, std::span<const Solver> solvers,
                                          double available, std::size_t ranks = 1);

// What is drawn of one plan.
struct TrialRequest {
  std::uint64_t seed = 0;
  std::size_t trials = 1;
  Progress progress = {};
  std::size_t threads = 0;          // 0: one per core
  const Cipher* cipher = nullptr;   // the ideal one
  std::optional<Round> every = {};  // a trajectory too, of every k-th round
};

struct TrialResults {
  TrialOutcomes runs;
  std::optional<Trajectory> trajectory;
};

// The same for a plan and a problem made elsewhere (sweeps, the paper's case studies).
[[nodiscard]] Result<TrialResults> run_trials(const PlannedStudy& planned, const Problem& problem,
                                              const TrialRequest& request);

// Adds to a plan what only the files of [problem] could tell.
void warn_about_files(PlannedStudy& planned, const Problem& problem);

[[nodiscard]] AveragingSetup averaging_setup(const PlannedStudy& planned);

[[nodiscard]] SolverSummary summarise(const TrialOutcomes& runs);

// Where the noise of a simulation over tables comes from. The operating system, unless the tables
// are made up: a seed that somebody knows is noise that somebody can subtract.
struct TableOptions {
  const Cipher* cipher = nullptr;  // dishuf's; the ideal one by default
  RandomFrom random_from = RandomFrom::kOperatingSystem;
  std::uint64_t seed = 0;
  std::uint64_t trial = 0;
  bool watched = true;               // also hash the releases, and follow the rounds
  Trajectory* trajectory = nullptr;  // filled, if it is there, with every k-th round
  Round every = 1;
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

// topology, parties, weight (null where edges differ), edges[[a, b, weight]] from party 1 on.
[[nodiscard]] nlohmann::ordered_json graph_json(const Study& study);
[[nodiscard]] nlohmann::ordered_json to_json(const Study& study, const Simulation& simulation);
[[nodiscard]] std::string to_text(const Study& study, const Simulation& simulation);

}  // namespace sotto
