#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "study/cipher_choice.h"
#include "study/plan.h"
#include "study/problem.h"

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

struct Simulation {
  std::uint64_t seed = 0;
  std::vector<double> x_star;
  std::vector<Plan> plans;  // one per solver
  std::vector<TrialOutcome> runs;
  std::vector<SolverSummary> summary;
};

// How many of all trials are done.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

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
[[nodiscard]] Result<std::vector<TrialOutcome>> run_trials(const Study& study, const Plan& plan,
                                                           const Problem& problem,
                                                           std::uint64_t seed, std::size_t trials,
                                                           const Progress& progress,
                                                           std::size_t threads = 0,
                                                           const Cipher* cipher = nullptr);

// What a party that holds these noisy sums of θ takes for x: the study's estimator.
[[nodiscard]] Result<std::vector<double>> solve_sums(const Study& study, const Plan& plan,
                                                     std::span<const double> sums);

[[nodiscard]] nlohmann::ordered_json to_json(const Study& study, const Simulation& simulation);
[[nodiscard]] std::string to_text(const Study& study, const Simulation& simulation);

}  // namespace sotto
