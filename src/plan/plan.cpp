// Everything that follows from the study alone, solver by solver.
#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "moments/moments.h"
#include "moments/quadratic.h"
#include "privacy/budget.h"
#include "privacy/calibrate/ac.h"
#include "privacy/calibrate/pairwise.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

// What a party would not like to send without being told.
constexpr std::uint64_t kMuchTraffic = 1'000'000'000;

Result<void> plan_gt(const Study& study, Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  if (terms.unit == Unit::kRecord) {
    return refused("E-gt-record", "gt protects one entry of θ, and has no guarantee for a row",
                   "use dishuf, pairwise or ac with unit = \"record\"");
  }
  if (!study.gt.lambda_min) {
    return bad_input("E-gt-lambda", "gt must know a public lower bound on ΣA_i's eigenvalues",
                     "add lambda_min to [gt]: a number known without the data");
  }
  const double lambda_min = *study.gt.lambda_min;
  // First whether any truncation does: what δ and what the problem asks for must not be answered
  // one after the other with numbers that contradict each other.
  if (study.gt.keep_delta) {
    SOTTO_TRY(require_some_truncation(terms.sensitivity, terms.budget, plan.parties, plan.dimension,
                                      lambda_min, study.gt.guarantee)
                  .at("[gt] guarantee"));
  }
  // As printed, a setting is run and its rows say what it is worth.
  const auto calibrate = study.gt.keep_delta ? calibrate_gradient : gradient_noise;
  SOTTO_ASSIGN(
      auto noise,
      calibrate(terms.sensitivity, terms.budget, study.gt.truncation).at("[gt] truncation"));
  SOTTO_TRY(require_convexity(noise, plan.parties, plan.dimension, lambda_min, study.gt.guarantee)
                .at("[gt] guarantee"));
  if (study.gt.guarantee == Convexity::kPaper) {
    const double probability =
        nonconvex_probability(noise, plan.parties, plan.dimension, lambda_min);
    if (probability > 0) {
      plan.warnings.push_back(
          fmt::format("the paper's condition does not keep the problem convex: a draw is not "
                      "convex with probability up to {:.3g}",
                      probability));
    }
  }
  const double n = static_cast<double>(plan.parties);
  plan.sum_noise_sd = std::sqrt(n) * noise.sigma_eta;
  plan.sum_noise_of_a = std::sqrt(n * noise.laplace.variance());
  plan.rounds = {.method = std::nullopt, .rounds = study.gt.rounds, .rate = std::nullopt};
  plan.noise = noise;
  // A family is public, so its rate can be told beforehand; files are data.
  if (study.problem && study.problem->files.empty()) {
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
  }
  return {};
}

Result<void> plan_ac(const Study& study, Plan& plan) {
  const LocalNoise noise = calibrate_ac(study.privacy.sensitivity, study.privacy.budget);
  plan.noise = noise;
  plan.sum_noise_sd = std::sqrt(static_cast<double>(plan.parties)) * noise.sigma;
  return {};
}

Result<void> plan_dishuf(const Study& study, Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  const bool lemma1 = study.dishuf.calibration == Calibration::kLemma1;
  if (lemma1 && terms.colluders > 0) {
    return bad_input("E-lemma1-colluders", "lemma1 knows no colluders",
                     "use calibration = \"graph\", or colluders = 0");
  }
  if (lemma1 && study.consensus.method != ConsensusMethod::kExact) {
    return bad_input("E-lemma1-consensus",
                     "lemma1's values are past what floating-point averaging can hold",
                     "use [consensus] method = \"exact\", or calibration = \"graph\"");
  }
  ShuffleParameters parameters = study.dishuf.parameters;
  parameters.attempts = study.network.attempts;
  if (terms.colluders > 0 && parameters.attempts > 1 && parameters.masks == ShuffleMasks::kShared) {
    return bad_input(
               "E-dropout-colluders",
               "a shuffle that is given up shows colluders one more masked value, and shared masks "
               "are calibrated for one",
               "use [dishuf] noise = \"per-neighbour\", colluders = 0, or remove min_parties")
        .at("[network] min_parties");
  }
  SOTTO_ASSIGN(auto noise,
               (lemma1 ? calibrate_lemma1(plan.parties, terms.sensitivity, terms.budget, parameters)
                       : calibrate_shuffle(study.graph(), terms.sensitivity, terms.budget,
                                           parameters, terms.colluders))
                   .at("[dishuf]"));
  SOTTO_TRY(study_packing(study, noise));
  plan.sum_noise_sd =
      std::sqrt(static_cast<double>(plan.parties)) * nearest_double(noise.sigma_gamma);
  plan.noise = std::move(noise);
  return {};
}

Result<void> plan_pairwise(const Study& study, Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  SOTTO_ASSIGN(auto noise, calibrate_pairwise(study.graph(), terms.sensitivity, terms.budget,
                                              study.pairwise_g, terms.colluders)
                               .at("[pairwise]"));
  plan.sum_noise_sd = std::sqrt(static_cast<double>(plan.parties)) * noise.sigma_gamma;
  plan.noise = noise;
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

  Result<void> done;
  switch (solver) {
    case Solver::kGt:
      done = plan_gt(study, plan);
      break;
    case Solver::kAc:
      done = plan_ac(study, plan);
      break;
    case Solver::kDishuf:
      done = plan_dishuf(study, plan);
      break;
    case Solver::kPairwise:
      done = plan_pairwise(study, plan);
      break;
  }
  if (!done) return done.error();
  const PrivacyTerms& terms = study.privacy;
  SOTTO_ASSIGN(plan.adversaries,
               adversary_table(study.graph(), plan.noise, terms.sensitivity, terms.budget,
                               terms.colluders, study.network.attempts));
  return plan;
}

Result<Plan> make_plan(const Study& study, Solver solver) {
  SOTTO_ASSIGN(auto plan, planning::plan_privacy(study, solver));
  SOTTO_TRY(planning::plan_for_losses(study, plan));
  if (solver != Solver::kGt) {
    SOTTO_ASSIGN(plan.consensus,
                 plan_consensus(study.consensus.method, study.consensus.tolerance, study.weights)
                     .at("[consensus]"));
    if (study.consensus.rounds) take_rounds(*study.consensus.rounds, plan);
    plan.rounds = {plan.consensus.method, plan.consensus.rounds, plan.consensus.rate};
  }
  plan.central_ratio = plan.sum_noise_sd / (study.privacy.sensitivity.value() / plan.kappa_bar);
  plan.expected = expected_accuracy(study, plan.sum_noise_sd);
  warn_about_adversaries(study, plan);
  if (auto weak = weak_epsilon(study.privacy.budget)) plan.warnings.push_back(std::move(*weak));
  plan.traffic = predict_traffic(study, plan);
  if (plan.traffic.bytes >= kMuchTraffic) {
    plan.warnings.push_back(fmt::format(
        "one party would send {:.1f} GB in {} messages: [consensus] method = \"exact\" or a better "
        "connected graph takes fewer rounds",
        static_cast<double>(plan.traffic.bytes) / 1e9, plan.traffic.messages));
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
          .sigma = sigma};
}

}  // namespace sotto
