#pragma once

// All parties of a study in one process: `sotto simulate`.

#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/study.h>
#include <sotto/table.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto::v1 {

struct SimulateOptions {
  std::vector<Solver> solvers = {};  // none: the study's own
  std::uint64_t seed = 1;            // same seed, same bits, on any number of threads
  std::size_t trials = 1;            // draws of the noise per solver
  std::size_t threads = 0;           // 0: one per core
  // Called by one thread at a time, whichever it is. May throw: that ends the simulation, and goes
  // to whoever asked for it.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
  bool json = true;  // false: Simulation::json stays empty, which saves time with many trials
};

// All trials of one solver, in their order.
struct Trials {
  Solver solver = Solver::kDishuf;
  std::vector<double> squared_errors = {};  // (1/n)·Σ_i ‖x_i − x*‖²
  std::vector<double> x = {};               // the first party's, trial after trial
};

struct Summary {
  Solver solver = Solver::kDishuf;
  double mean = 0;  // of the squared errors
  double median = 0;
  double q25 = 0;
  double q75 = 0;
};

struct Simulation {
  std::vector<double> x_star = {};                     // without noise
  std::vector<Trials> trials = {};                     // one per solver
  std::vector<Summary> summary = {};                   // in the same order
  std::vector<std::pair<Solver, Error>> refused = {};  // solvers that cannot do it, and why
  std::string json = {};  // as `sotto simulate --format json` prints it
};

// A study that brings its own [problem]; no real data is touched.
[[nodiscard]] Result<Simulation> simulate(const Study& study, const SimulateOptions& options = {});

// A study in many settings, as `sotto simulate --set` does it: each key with the values to try, as
// TOML writes them; all combinations of them, each with every solver.
struct SweepOptions {
  std::vector<std::pair<std::string, std::vector<std::string>>> settings = {};
  bool independent = false;  // draws of its own for every setting; else all share theirs
  std::string folder = {};   // where points are kept, and found again; empty: nowhere
};

// All points as JSON, as `sotto simulate --set … --format json` prints them: a point whose study or
// plan is refused has an `error`.
[[nodiscard]] Result<std::string> sweep(const Study& study, const SweepOptions& settings,
                                        const SimulateOptions& options = {});

// A study over tables: one CSV file per party, in the study's order, or one that is dealt out to
// them. There is no seed: the noise comes from the operating system, and every call is a release
// that costs the tables' people the study's (ε, δ).
[[nodiscard]] Result<Model> simulate_tables(const Study& study,
                                            const std::vector<std::string>& files);

// The same for tables in memory. `account` pays for the release: it is held back before anything is
// drawn, spent before the model is returned, and free again if there is none. E-ledger-overdrawn if
// the account's limit could be passed.
[[nodiscard]] Result<Model> simulate_tables(const Study& study, const std::vector<Table>& tables,
                                            const std::optional<Account>& account = std::nullopt);

}  // namespace sotto::v1
