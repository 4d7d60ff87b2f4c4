#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "paillier/packing.h"
#include "simulate/simulation.h"
#include "study/expected_error.h"
#include "study/study.h"
#include "study/traffic.h"

namespace sotto {

// How the rounds of a run go.
struct RoundsPlan {
  std::string method;           // exact | plain | chebyshev | gradient-tracking
  std::optional<Round> rounds;  // none: decided from the perturbed costs, during the run
  std::optional<double> rate;   // per round; none: not known before the run
};

// Everything that follows from the study alone. No data is touched.
struct Plan {
  Solver solver = Solver::kDishuf;
  std::size_t parties = 0;
  std::size_t dimension = 0;  // m
  std::size_t entries = 0;    // p
  double kappa_bar = 0;
  std::variant<LocalNoise, ShuffleNoise, PairwiseNoise, GradientNoise> noise;
  std::vector<Adversary> adversaries;
  ConsensusPlan consensus;  // not for gt
  RoundsPlan rounds;
  double sum_noise_sd = 0;                   // of one entry of the sum that everybody ends with
  double central_ratio = 0;                  // against Δ/κ̄, what a trusted centre would add
  std::optional<ExpectedAccuracy> expected;  // over tables
  std::vector<std::string> warnings;
  TrafficPlan traffic;
};

// `solver` may differ from the study's, to compare.
[[nodiscard]] Result<Plan> make_plan(const Study& study, Solver solver);

// How the shuffle packs its entries; E-key-too-short says how long the key would have to be.
[[nodiscard]] Result<Packing> study_packing(const Study& study, const ShuffleNoise& noise);

// How many columns the model has: of the family, the schema, or the files.
[[nodiscard]] Result<std::size_t> problem_dimension(const Study& study);

// The contract that scripts rely on (README, "JSON").
[[nodiscard]] nlohmann::ordered_json to_json(const Study& study, const Plan& plan);
[[nodiscard]] nlohmann::ordered_json privacy_json(const Study& study, const Plan& plan);

// The same for a person.
[[nodiscard]] std::string to_text(const Study& study, const Plan& plan);

}  // namespace sotto
