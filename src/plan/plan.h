#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "paillier/packing.h"
#include "plan/simulated_problem.h"
#include "privacy/observe/adversary.h"
#include "protocol/setup.h"
#include "solve/fit.h"
#include "study/study.h"

namespace sotto {

// What a model over tables will be worth, told before anybody opens one. Only the
// study is looked at, so somebody must say what the tables are like; these are
// the assumptions, and every plan prints them.
struct AssumedTable {
  double feature_sd = 0.4;    // of a number, in halves of its bounds' width, about their middle
  double target_sd = 0.3;     // likewise
  double target_mean = -0.3;  // how far the target's mean is from its bounds' middle
  double explained = 0.5;     // share of the target's variance that all features explain
  // Levels are equally frequent; all features are independent and matter equally.
};

struct ExpectedAccuracy {
  struct Point {
    std::uint64_t rows = 0;
    double error = 0;  // expected squared error, over that of predicting the mean
  };
  std::optional<std::uint64_t>
      rows_needed;            // from here the error is below 1; none: beyond kMaxRows
  std::vector<Point> errors;  // at 10³, 10⁴, … rows in all
};

inline constexpr double kMaxExpectedRows = 1e9;
inline constexpr std::size_t kMaxExpectedEntries = 200;  // beyond, it takes too long for a plan

// E[RSS(θ̂)]/TSS for the study's estimator on sums with noise of standard deviation
// σ = `sum_noise_sd`, over noise from a fixed seed, at `rows` rows in all.
[[nodiscard]] double expected_error(const Study& study, double sum_noise_sd, double rows,
                                    const AssumedTable& assumed = {});

// Nothing for a study that is not over tables, or has too many columns.
[[nodiscard]] std::optional<ExpectedAccuracy> expected_accuracy(const Study& study,
                                                                double sum_noise_sd);

// How wide a 95 % interval of one coefficient will be on the assumed table.
struct ExpectedInterval {
  std::string coefficient;
  double half_width = 0;  // in the columns' own units
  // What the feature moves the target by from one of its bounds to the other (a level: against the
  // base), as a share of the width of the target's bounds. None for the intercept.
  std::optional<double> share;
};

// From the errors that a run computes (plug_in_errors), with the assumed table's sums in place of
// noisy ones. E-errors-noise where a run would refuse them, E-errors-squares where the study keeps
// Σy² at home. Precondition: a study over tables.
[[nodiscard]] Result<std::vector<ExpectedInterval>> expected_intervals(
    const Study& study, double sum_noise_sd, double rows, const AssumedTable& assumed = {});

// What a party on the network sends in a run without trouble: frames, as `join` counts them.
struct TrafficPlan {
  std::uint64_t messages = 0;  // of the party that sends most
  std::uint64_t bytes = 0;
};

// How the rounds of a run go.
struct RoundsPlan {
  std::optional<ConsensusMethod> method;  // none: gradient tracking
  std::optional<Round> rounds;            // none: decided from the perturbed costs, during the run
  std::optional<double> rate;             // per round; none: not known before the run
};

// "exact", "plain", "chebyshev"; without a method, "gradient-tracking".
[[nodiscard]] std::string rounds_name(std::optional<ConsensusMethod> method);

// Where gt's promise that the noisy problem stays convex ends.
struct ConvexityPlan {
  double margin = 0;  // d of Theorem 1; the promise holds below 1
  // How many parties the promise holds for with this truncation and λ_min; none: any number,
  // because costs that grow with the parties bring λ_min along ([problem] sum = "grows").
  std::optional<double> most_parties;
};

// Everything that follows from the study alone. No data is touched.
struct Plan {
  Solver solver = Solver::kDishuf;
  std::size_t parties = 0;
  std::size_t dimension = 0;  // m
  std::size_t entries = 0;    // p
  double kappa_bar = 0;
  Noise noise;
  std::vector<Adversary> adversaries;
  ConsensusPlan consensus;  // not for gt
  RoundsPlan rounds;
  double sum_noise_sd = 0;                   // of one entry of the sum that everybody ends with
  std::optional<double> sum_noise_of_a;      // gt: of an entry of A; then the above is of one of B
  std::optional<ConvexityPlan> convexity;    // gt
  double central_ratio = 0;                  // against Δ/κ̄, what a trusted centre would add
  std::optional<ExpectedAccuracy> expected;  // over tables
  std::vector<std::string> warnings;
  TrafficPlan traffic;
  std::optional<TrackingChoice> tracking;  // gt on a public family: step, rounds and rate
  // SHA-256 of what a run draws from, for all parties and every set that may be left, and of what
  // it is drawn for. A run that was begun with another is not resumed: docs/proofs/session.md.
  std::string draws;

  // gt: costs with noise are walked down, nothing is averaged.
  [[nodiscard]] bool tracks_gradient() const {
    return std::holds_alternative<GradientNoise>(noise);
  }
};

// `solver` may differ from the study's, to compare. Opens no file: E-problem-dimension where only
// the files of [problem] could tell m.
[[nodiscard]] Result<Plan> make_plan(const Study& study, Solver solver);

// Settings that protect nobody, whoever watches, in words: an ε above kWeakEpsilon, which every
// plan warns of, and a δ above 1/rows, for those who know how many rows there are.
inline constexpr double kWeakEpsilon = 20;
[[nodiscard]] std::optional<std::string> weak_epsilon(const Budget& budget);
[[nodiscard]] std::optional<std::string> weak_delta(const Budget& budget, std::uint64_t rows);

// A study and what follows from it: what everything that runs a study starts from.
struct PlannedStudy {
  Study study;
  Plan plan;

  // What is left of the study for some of its parties, ascending, with masks no smaller than these;
  // and planned. Fail where the rest cannot keep what the study promises.
  [[nodiscard]] Result<Study> left_of(std::span<const PartyId> members) const;
  [[nodiscard]] Result<PlannedStudy> planned_for(std::span<const PartyId> members) const;
};
[[nodiscard]] Result<PlannedStudy> plan_study(Study study, Solver solver);

namespace planning {

// Noise, and who learns how much of it, for exactly the parties of `study`.
[[nodiscard]] Result<Plan> plan_privacy(const Study& study, Solver solver);

// With min_parties: rows that are the worst over every set of parties that may be left, and masks
// that are large enough for all of them. Sets that cannot keep what is asked end a run, and are
// warned of; E-min-parties if no smaller set can, E-min-parties-many if there are too many.
[[nodiscard]] Result<void> plan_for_losses(const Study& study, Plan& plan);

void add_noise(Digest& digest, const Noise& noise);
// Of `plan`, whose `draws` is that of the sets that may be left.
[[nodiscard]] std::string digest_of_draws(const Plan& plan);

}  // namespace planning

// What fits a table's sums: the study's weights and estimator, noise of `sigma` (the plan's
// sum_noise_sd; 0 for sums without noise).
[[nodiscard]] FitTerms fit_terms(const Study& study, double sigma);

// From the plan's noise, rounds and entries. Lengths of certificates and the number of
// acknowledgements are estimates, everything else is counted.
[[nodiscard]] TrafficPlan predict_traffic(const Study& study, const Plan& plan);

// The grid on which a party's values stand before noise is added.
[[nodiscard]] Grid released_grid(const Study& study);

// Bytes of an integer that an honest party releases: what all are padded up to, wide enough for a
// table of 2³⁸ rows and 2⁸ standard deviations of noise, times what the shuffle multiplies them
// with; and the most that is taken.
[[nodiscard]] std::size_t release_width(const Study& study, const Plan& plan);
[[nodiscard]] std::size_t most_release_bytes(const Study& study, const Plan& plan);

// How the shuffle packs its entries; E-key-too-short says how long the key would have to be.
[[nodiscard]] Result<Packing> study_packing(const Study& study, const ShuffleNoise& noise);

[[nodiscard]] nlohmann::ordered_json adversary_json(const Adversary& adversary);

// The contract that scripts rely on (README, "JSON").
[[nodiscard]] nlohmann::ordered_json to_json(const Study& study, const Plan& plan);
[[nodiscard]] nlohmann::ordered_json privacy_json(const Study& study, const Plan& plan);

// The same for a person.
[[nodiscard]] std::string to_text(const Study& study, const Plan& plan);

}  // namespace sotto
