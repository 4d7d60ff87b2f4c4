#pragma once

// What a study promises and costs, before any data is touched: `sotto plan`.

#include <sotto/study.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::v1 {

// Somebody who watches a run, and what that teaches about one row (or entry) of one party.
struct Observer {
  std::string name = {};        // "eavesdropper", "neighbour", "colluders-T", "all-neighbours"
  double shift = 0;             // in standard deviations; privacy is κ_ε of it
  double delta_at_epsilon = 0;  // δ at the study's ε
  double epsilon_at_delta = 0;  // ε at the study's δ; infinity if no ε will do
};

struct Plan {
  Solver solver = Solver::kDishuf;
  double epsilon = 0;
  double delta = 0;
  double sensitivity = 0;    // how far one row (or entry) moves what is released
  double sum_noise_sd = 0;   // of one entry of the sum that everybody ends with
  double central_ratio = 0;  // against the noise that a trusted centre would add
  std::vector<Observer> observers = {};
  std::optional<std::uint64_t> rounds = {};  // none: gt decides during the run
  std::uint64_t messages = 0;                // of the party that sends most
  std::uint64_t bytes = 0;
  std::vector<std::string> warnings = {};
  std::string text = {};  // all of it for a person, as `sotto plan` prints it
  std::string json = {};  // and for a script, as `sotto plan --format json` does
};

// For the study's own solver, or another to compare it with. Errors: what the study asks for
// cannot be had, E-… of docs/errors.md.
[[nodiscard]] Result<Plan> make_plan(const Study& study);
[[nodiscard]] Result<Plan> make_plan(const Study& study, Solver solver);

}  // namespace sotto::v1
