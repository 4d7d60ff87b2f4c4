#include "study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "privacy/gaussian.h"
#include "problem/moments.h"
#include "problem/theta.h"
#include "protocol/sealing.h"
#include "study/problem.h"
#include "study/tracking.h"

namespace sotto {
namespace {

// The grid that the parties' secrets stand on.
Grid grid_of(const Study& study) {
  return study.privacy.unit == Unit::kRecord
             ? moments_grid()
             : Grid::for_sensitivity(study.privacy.sensitivity.value());
}

// How the shuffle packs its entries, or how long the key would have to be.
Result<Packing> packing_of(const Study& study, const ShuffleNoise& noise) {
  auto packing =
      shuffle_packing(noise, grid_of(study), paillier_plaintext_bits(study.dishuf.key_bits));
  if (!packing) return tl::unexpected(Error(packing.error()).at("[dishuf] key_bits"));
  return packing;
}

// Bytes of an entry on the wire: a double in rounds of floating point; in `exact`
// an integer about as long as its standard deviation, in grid steps.
double release_bytes(const Plan& plan, const Study& study) {
  const Grid grid = grid_of(study);
  double bits = 64;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) {
    const Rational product =
        shuffle->sigma_eta * Rational(Integer(static_cast<unsigned long>(shuffle->multiplier_max)) *
                                      static_cast<unsigned long>(shuffle->multiplier_max));
    const Rational widest =
        std::max<Rational>(product, shuffle->sigma_gamma * Rational(shuffle->inverse_zeta));
    if (sgn(widest) > 0) bits = log10(widest / grid.step()) / std::log10(2.0) + 4;
  }
  return std::ceil(std::max(bits, 64.0) / 8);
}

TrafficPlan predict_traffic(const Plan& plan, const Study& study) {
  const Graph& graph = study.graph();
  const auto degree = static_cast<std::uint64_t>(graph.max_degree());
  const auto entries = static_cast<double>(plan.entries);
  double messages = 0;
  double bytes = 0;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise)) {
    // An offer and a reply per neighbour: each a vector of residues modulo N².
    const auto packing = packing_of(study, *shuffle);
    check(packing.has_value(), "a plan whose key is too short is refused earlier");
    const ShuffleSize size =
        shuffle_size(*packing, plan.entries, study.dishuf.key_bits, study.dishuf.full_randomness);
    messages += 2.0 * static_cast<double>(degree);
    bytes += static_cast<double>(degree * (size.offer_bytes + size.reply_bytes));
  } else if (std::holds_alternative<PairwiseNoise>(plan.noise)) {
    messages += static_cast<double>(degree);
    bytes += 32.0 * static_cast<double>(degree);
  }
  const double rounds = plan.rounds.rounds.value_or(0);
  messages += rounds * static_cast<double>(degree);
  if (plan.solver == Solver::kGt) {
    bytes += rounds * static_cast<double>(degree) * 2 * static_cast<double>(plan.dimension) * 8;
  } else if (plan.consensus.method == ConsensusMethod::kExact) {
    bytes += static_cast<double>(degree) * static_cast<double>(plan.parties) * entries *
             release_bytes(plan, study);
  } else {
    bytes += rounds * static_cast<double>(degree) * entries * 8;
  }
  return {static_cast<std::uint64_t>(messages), static_cast<std::uint64_t>(bytes)};
}

Result<void> plan_gt(const Study& study, Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  if (terms.unit == Unit::kRecord) {
    return refused("E-gt-record", "gt protects one entry of θ, and has no guarantee for a row",
                   "use dishuf, pairwise or ac with unit = \"record\"");
  }
  auto noise = calibrate_gradient(terms.sensitivity, terms.budget, study.gt.truncation);
  if (!noise) return tl::unexpected(Error(noise.error()).at("[gt] truncation"));
  if (!study.gt.lambda_min) {
    return bad_input("E-gt-lambda", "gt must know a public lower bound on ΣA_i's eigenvalues",
                     "add lambda_min to [gt]: a number known without the data");
  }
  const double lambda_min = *study.gt.lambda_min;
  if (auto convex =
          require_convexity(*noise, plan.parties, plan.dimension, lambda_min, study.gt.guarantee);
      !convex) {
    return tl::unexpected(Error(convex.error()).at("[gt] guarantee"));
  }
  if (study.gt.guarantee == Convexity::kPaper) {
    const double probability =
        nonconvex_probability(*noise, plan.parties, plan.dimension, lambda_min);
    if (probability > 0) {
      plan.warnings.push_back(
          fmt::format("the paper's condition does not keep the problem convex: a draw is not "
                      "convex with probability up to {:.3g}",
                      probability));
    }
  }
  plan.adversaries = gradient_adversaries(*noise, terms.sensitivity, terms.budget, terms.colluders);
  const double n = static_cast<double>(plan.parties);
  plan.sum_noise_sd =
      std::sqrt(n) * std::max(noise->sigma_eta, std::sqrt(noise->laplace.variance()));
  plan.rounds = {.method = "gradient-tracking", .rounds = study.gt.rounds, .rate = std::nullopt};
  plan.noise = *noise;
  // A family is public, so its rate can be told beforehand; files are data.
  if (study.problem && study.problem->files.empty()) {
    auto tracking = choose_tracking(study, *noise);
    if (!tracking) return tl::unexpected(tracking.error());
    const Round rounds = tracking->setup.rounds;
    plan.rounds.rounds = rounds;
    plan.rounds.rate = tracking->rate;
    if (std::pow(tracking->rate, rounds) > study.consensus.tolerance) {
      plan.warnings.push_back(
          fmt::format("after {} rounds the distance to the limit has shrunk by {:.1e} only; "
                      "{:.0f} rounds would reach the tolerance of {:g}",
                      rounds, std::pow(tracking->rate, rounds),
                      std::ceil(std::log(study.consensus.tolerance) / std::log(tracking->rate)),
                      study.consensus.tolerance));
    }
  }
  return {};
}

Result<void> plan_ac(const Study& study, Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  const double sigma = gaussian_sigma(terms.sensitivity, terms.budget);
  plan.noise = LocalNoise{sigma};
  plan.adversaries = local_adversaries(sigma, terms.sensitivity, terms.budget, terms.colluders);
  plan.sum_noise_sd = std::sqrt(static_cast<double>(plan.parties)) * sigma;
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
  auto noise = lemma1 ? calibrate_lemma1(plan.parties, terms.sensitivity, terms.budget,
                                         study.dishuf.parameters)
                      : calibrate_shuffle(study.graph(), terms.sensitivity, terms.budget,
                                          study.dishuf.parameters, terms.colluders);
  if (!noise) return tl::unexpected(Error(noise.error()).at("[dishuf]"));
  if (auto packing = packing_of(study, *noise); !packing) return tl::unexpected(packing.error());
  auto adversaries =
      shuffle_adversaries(study.graph(), *noise, terms.sensitivity, terms.budget, terms.colluders);
  if (!adversaries) return tl::unexpected(adversaries.error());
  plan.adversaries = std::move(*adversaries);
  plan.sum_noise_sd =
      std::sqrt(static_cast<double>(plan.parties)) * nearest_double(noise->sigma_gamma);
  plan.noise = std::move(*noise);
  return {};
}

Result<void> plan_pairwise(const Study& study, Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  auto noise = calibrate_pairwise(study.graph(), terms.sensitivity, terms.budget, study.pairwise_g,
                                  terms.colluders);
  if (!noise) return tl::unexpected(Error(noise.error()).at("[pairwise]"));
  auto adversaries =
      pairwise_adversaries(study.graph(), *noise, terms.sensitivity, terms.budget, terms.colluders);
  if (!adversaries) return tl::unexpected(adversaries.error());
  plan.adversaries = std::move(*adversaries);
  plan.sum_noise_sd = std::sqrt(static_cast<double>(plan.parties)) * noise->sigma_gamma;
  plan.noise = *noise;
  return {};
}

void warn_about_adversaries(const Study& study, Plan& plan) {
  for (const Adversary& adversary : plan.adversaries) {
    if (adversary.delta_at_epsilon <= study.privacy.budget.delta.value() * (1 + 1e-9)) continue;
    plan.warnings.push_back(
        fmt::format("against {} the guarantee at ε = {:g} is δ = {:.3g}, not {:g}", adversary.name,
                    study.privacy.budget.epsilon.value(), adversary.delta_at_epsilon,
                    study.privacy.budget.delta.value()));
  }
}

}  // namespace

Result<std::size_t> problem_dimension(const Study& study) {
  if (study.data) return study.data->entries();
  if (study.problem && study.problem->files.empty()) return study.problem->dimension;
  auto problem = load_problem(study);
  if (!problem) return tl::unexpected(problem.error());
  return problem->dimension();
}

Result<Plan> make_plan(const Study& study, Solver solver) {
  const auto dimension = problem_dimension(study);
  if (!dimension) return tl::unexpected(dimension.error());
  Plan plan{};
  plan.solver = solver;
  plan.parties = study.graph().size();
  plan.dimension = *dimension;
  // A table's sums may have Σy² as one entry more.
  const bool squares = study.privacy.unit == Unit::kRecord && study.solve.error_bars;
  plan.entries = theta_size(*dimension) + (squares ? 1 : 0);
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
  if (!done) return tl::unexpected(done.error());
  if (solver != Solver::kGt) {
    const auto consensus =
        plan_consensus(study.consensus.method, study.consensus.tolerance, study.weights);
    if (!consensus) return tl::unexpected(Error(consensus.error()).at("[consensus]"));
    plan.consensus = *consensus;
    plan.rounds = {.method = to_string(consensus->method),
                   .rounds = consensus->rounds,
                   .rate = consensus->rate};
  }
  plan.central_ratio = plan.sum_noise_sd / (study.privacy.sensitivity.value() / plan.kappa_bar);
  plan.expected = expected_accuracy(study, plan.sum_noise_sd);
  warn_about_adversaries(study, plan);
  plan.traffic = predict_traffic(plan, study);
  return plan;
}

}  // namespace sotto
