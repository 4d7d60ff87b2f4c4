#pragma once

// All parties of a study in one process: `sotto simulate`.

#include <sotto/model.h>
#include <sotto/study.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sotto::v1 {

struct SimulateOptions {
  std::vector<Solver> solvers = {};  // none: the study's own
  std::uint64_t seed = 1;            // same seed, same bits, on any number of threads
  std::size_t trials = 1;            // draws of the noise per solver
  std::size_t threads = 0;           // 0: one per core
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

struct Trial {
  Solver solver = Solver::kDishuf;
  std::size_t trial = 0;
  double squared_error = 0;    // (1/n)·Σ_i ‖x_i − x*‖²
  std::vector<double> x = {};  // the first party's
};

struct Summary {
  Solver solver = Solver::kDishuf;
  double mean = 0;  // of the squared errors
  double median = 0;
  double q25 = 0;
  double q75 = 0;
};

struct Simulation {
  std::vector<double> x_star = {};  // without noise
  std::vector<Trial> trials = {};
  std::vector<Summary> summary = {};  // one per solver
  std::string json = {};              // as `sotto simulate --format json` prints it
};

// A study that brings its own [problem]; no real data is touched.
[[nodiscard]] Result<Simulation> simulate(const Study& study, const SimulateOptions& options = {});

// A study over tables: one CSV file per party, in the study's order, or one that is dealt out to
// them. There is no seed: the noise comes from the operating system, and every call is a release
// that costs the tables' people the study's (ε, δ).
[[nodiscard]] Result<Model> simulate_tables(const Study& study,
                                            const std::vector<std::string>& files);

}  // namespace sotto::v1
