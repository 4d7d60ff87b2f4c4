// Everything that follows from the study alone.
#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "moments/moments.h"
#include "moments/quadratic.h"
#include "privacy/budget.h"
#include "protocol/sealing.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

// What a party would not like to send without being told.
constexpr std::uint64_t kMuchTraffic = 1'000'000'000;

// Step, rounds and rate of gradient tracking, as far as they can be told beforehand.
Result<void> plan_tracking(const Study& study, const GradientNoise& noise, Plan& plan) {
  // Where the guarantee of convexity ends.
  const double lambda_min = *study.gt.lambda_min;
  plan.convexity = ConvexityPlan{.margin = convexity_margin(noise, plan.parties, plan.dimension,
                                                            lambda_min, study.gt.guarantee),
                                 .most_parties = std::nullopt};
  if (!study.problem || study.problem->sum == FamilySum::kFixed) {
    plan.convexity->most_parties =
        most_parties(noise, plan.dimension, lambda_min, study.gt.guarantee);
  }
  plan.rounds = {.method = std::nullopt, .rounds = study.gt.rounds, .rate = std::nullopt};
  // A family is public, so its rate can be told; files are data.
  if (!study.problem || !study.problem->files.empty()) return {};
  SOTTO_ASSIGN(const auto problem, family_problem(study));
  if (auto warning = lambda_min_warning(study, problem)) {
    plan.warnings.push_back(std::move(*warning));
  }
  SOTTO_ASSIGN(const auto tracking, choose_tracking(study, noise, problem));
  plan.tracking = tracking;
  const Round rounds = tracking.setup.rounds;
  plan.rounds.rounds = rounds;
  plan.rounds.rate = tracking.rate;
  if (std::pow(tracking.rate, rounds) > study.consensus.tolerance) {
    plan.warnings.push_back(
        fmt::format("after {} rounds the distance to the limit has shrunk by {:.1e} only; "
                    "{:.0f} rounds would reach the tolerance of {:g}",
                    rounds, std::pow(tracking.rate, rounds),
                    std::ceil(std::log(study.consensus.tolerance) / std::log(tracking.rate)),
                    study.consensus.tolerance));
  }
  return {};
}

void warn_about_adversaries(const Study& study, Plan& plan) {
  for (const Adversary& adversary : plan.adversaries) {
    if (adversary.delta_at_epsilon <= study.privacy.budget.delta.value() * (1 + 1e-9)) continue;
    plan.warnings.push_back(
        fmt::format("against {} the guarantee at ε = {:g} is δ = {:.3g}, not {:g}",
                    observer_name(adversary), study.privacy.budget.epsilon.value(),
                    adversary.delta_at_epsilon, study.privacy.budget.delta.value()));
  }
}

// A number of rounds that the study names, in place of what its tolerance takes.
void take_rounds(Round rounds, Plan& plan) {
  if (rounds < plan.consensus.rounds) {
    plan.warnings.push_back(
        fmt::format("after {} rounds the parties are not yet within the tolerance of {:g} of each "
                    "other: that takes {}",
                    rounds, plan.consensus.tolerance, plan.consensus.rounds));
  }
  plan.consensus.rounds = rounds;
}

// How many columns the model has, as far as the study says it.
Result<std::size_t> dimension_of(const Study& study) {
  if (study.data) return study.data->entries();
  if (!study.problem) {
    return bad_input("E-problem-missing", "the study has no [problem] to simulate",
                     "add [problem] with family = \"paper\", or with files");
  }
  if (study.problem->dimension > 0) return study.problem->dimension;
  return bad_input("E-problem-dimension", "the study does not say how many columns its costs have",
                   "add m to [problem]: a plan opens no data")
      .at("[problem]");
}

// Σy² stands last, and is left out where it stays at home.
std::size_t released_entries(const Study& study, std::size_t dimension) {
  const bool squares = study.privacy.unit == Unit::kRecord && study.solve.error_bars;
  return theta_size(dimension) + (squares ? 1 : 0);
}

double least_weight(const Study& study) {
  if (study.privacy.unit == Unit::kEntry) return 1;
  const std::size_t d = study.data->entries();
  auto weights = entry_weights(d, study.data->intercept,
                               released_shares(*study.data, study.privacy.neighbours, study.solve));
  weights.resize(released_entries(study, d));
  return std::ranges::min(weights);
}

}  // namespace

Grid released_grid(const Study& study) {
  return study.privacy.unit == Unit::kRecord
             ? moments_grid()
             : Grid::for_sensitivity(study.privacy.sensitivity.value());
}

Result<Packing> study_packing(const Study& study, const ShuffleNoise& noise) {
  return shuffle_packing(noise, released_grid(study), least_weight(study),
                         paillier_plaintext_bits(study.dishuf.key_bits))
      .at("[dishuf] key_bits");
}

Result<Plan> planning::plan_privacy(const Study& study, Solver solver) {
  SOTTO_ASSIGN(const auto dimension, dimension_of(study));
  Plan plan{};
  plan.solver = solver;
  plan.parties = study.graph().size();
  plan.dimension = dimension;
  plan.entries = released_entries(study, dimension);
  plan.kappa_bar = gaussian_shift(study.privacy.budget);

  const Mechanism& mechanism = mechanism_of(solver);
  const ModelSize size{dimension, plan.entries};
  SOTTO_ASSIGN(auto calibrated, mechanism.calibrate(study, size));
  plan.noise = std::move(calibrated.noise);
  plan.sum_noise_sd = calibrated.sum_noise_sd;
  plan.sum_noise_of_a = calibrated.sum_noise_of_a;
  plan.warnings = std::move(calibrated.warnings);
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) {
    SOTTO_TRY(study_packing(study, *shuffle));
  }
  if (const auto* gradient = std::get_if<GradientNoise>(&plan.noise)) {
    SOTTO_TRY(plan_tracking(study, *gradient, plan));
  }
  SOTTO_ASSIGN(plan.adversaries,
               mechanism.observe(study, size, plan.noise, study.network.attempts));
  return plan;
}

Result<Plan> make_plan(const Study& study, Solver solver) {
  SOTTO_ASSIGN(auto plan, planning::plan_privacy(study, solver));
  SOTTO_TRY(planning::plan_for_losses(study, plan));
  if (!plan.tracks_gradient()) {
    SOTTO_ASSIGN(plan.consensus,
                 plan_consensus(study.consensus.method, study.consensus.tolerance, study.weights)
                     .at("[consensus]"));
    if (study.consensus.rounds) take_rounds(*study.consensus.rounds, plan);
    plan.rounds = {plan.consensus.method, plan.consensus.rounds, plan.consensus.rate};
  }
  plan.draws = planning::digest_of_draws(plan);
  plan.central_ratio = plan.sum_noise_sd / (study.privacy.sensitivity.value() / plan.kappa_bar);
  plan.expected = expected_accuracy(study, plan.sum_noise_sd);
  warn_about_adversaries(study, plan);
  if (auto weak = weak_epsilon(study.privacy.budget)) plan.warnings.push_back(std::move(*weak));
  // More than these cannot meet on a network.
  if (plan.parties <= kMaxNamedParties) plan.traffic = predict_traffic(study, plan);
  if (plan.traffic.bytes >= kMuchTraffic) {
    const bool exact = plan.rounds.method == ConsensusMethod::kExact;
    plan.warnings.push_back(fmt::format(
        "one party would send {:.1f} GB in {} messages: {}",
        static_cast<double>(plan.traffic.bytes) / 1e9, plan.traffic.messages,
        exact ? "a graph with fewer edges at that party takes fewer"
              : "[consensus] method = \"exact\" or a better connected graph takes fewer rounds"));
  }
  return plan;
}

Result<Study> PlannedStudy::left_of(std::span<const PartyId> members) const {
  SOTTO_ASSIGN(auto rest, study.restricted_to(members));
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) {
    rest.dishuf.parameters.least_sigma_eta = nearest_double(shuffle->sigma_eta);
  }
  return rest;
}

Result<PlannedStudy> PlannedStudy::planned_for(std::span<const PartyId> members) const {
  SOTTO_ASSIGN(auto rest, left_of(members));
  return plan_study(std::move(rest), plan.solver);
}

std::optional<std::string> weak_epsilon(const Budget& budget) {
  const double epsilon = budget.epsilon.value();
  if (epsilon <= kWeakEpsilon) return std::nullopt;
  return fmt::format(
      "ε = {:g} protects nobody: it lets the odds of a guess about a row grow by e^ε = {:.1g}",
      epsilon, std::exp(epsilon));
}

std::optional<std::string> weak_delta(const Budget& budget, std::uint64_t rows) {
  const double delta = budget.delta.value();
  if (delta * static_cast<double>(rows) <= 1) return std::nullopt;
  return fmt::format(
      "δ = {:g} is above 1/rows = {:.3g}: to show everybody one row, drawn at random, would keep "
      "it",
      delta, 1 / static_cast<double>(rows));
}

Result<PlannedStudy> plan_study(Study study, Solver solver) {
  SOTTO_ASSIGN(auto plan, make_plan(study, solver));
  return PlannedStudy{.study = std::move(study), .plan = std::move(plan)};
}

FitTerms fit_terms(const Study& study, double sigma) {
  check(study.data.has_value(), "a record-level study has a schema");
  return {.schema = *study.data,
          .shares = released_shares(*study.data, study.privacy.neighbours, study.solve),
          .estimator = study.solve.estimator,
          .settings = study.solve.settings,
          .sigma = sigma};
}

}  // namespace sotto
