// The rounds of each method, from the public graph alone, and the steps of the linear ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "protocol/consensus.h"

namespace sotto {
namespace {

// Widens W's interval a little, so that rounding in λ₂ and λ_n stays inside, and
// so that a graph with λ₂ = λ_n (complete) does not divide by zero.
constexpr double kSpectrumMargin = 1e-9;

// x = (2 − low − high)/(high − low): where 1 lands when [low, high] goes to [−1, 1].
double image_of_one(const ConsensusPlan& plan) {
  return (2 - plan.spectrum_low - plan.spectrum_high) / (plan.spectrum_high - plan.spectrum_low);
}

Result<Round> checked_rounds(double rounds) {
  if (!(rounds <= kMaxRounds)) {
    return bad_input(
        "E-consensus-rounds",
        fmt::format("averaging would take {:.3g} rounds, and {} are allowed", rounds, kMaxRounds),
        "use method = \"exact\", a larger tolerance, or a better connected graph");
  }
  return static_cast<Round>(std::max(1.0, rounds));
}

}  // namespace

std::string to_string(ConsensusMethod method) {
  switch (method) {
    case ConsensusMethod::kPlain:
      return "plain";
    case ConsensusMethod::kChebyshev:
      return "chebyshev";
    case ConsensusMethod::kExact:
      return "exact";
  }
  check(false, "a consensus method has a name");
  return {};
}

std::optional<ConsensusMethod> consensus_method_from(std::string_view name) {
  for (const auto method :
       {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev, ConsensusMethod::kExact}) {
    if (to_string(method) == name) return method;
  }
  return std::nullopt;
}

Result<ConsensusPlan> plan_consensus(ConsensusMethod method, double tolerance,
                                     const Weights& weights) {
  SOTTO_TRY(require_connected(weights.graph()));
  if (!(tolerance > 0 && tolerance < 1)) {
    return bad_input("E-consensus-tolerance",
                     fmt::format("a tolerance of {} is not between 0 and 1", tolerance),
                     "give the factor by which disagreement must shrink, such as 1e-9");
  }
  ConsensusPlan plan;
  plan.method = method;
  plan.tolerance = tolerance;
  if (method == ConsensusMethod::kExact) {
    plan.rounds = static_cast<Round>(weights.graph().diameter());
    return plan;
  }
  const Spectrum spectrum_of_l = spectrum(weights);
  plan.spectrum_high = 1 - spectrum_of_l.lambda_2;
  plan.spectrum_low = 1 - spectrum_of_l.lambda_max;
  double rounds = 0;
  if (method == ConsensusMethod::kPlain) {
    plan.rate = std::max(std::abs(plan.spectrum_low), std::abs(plan.spectrum_high));
    rounds = plan.rate > 0 ? std::ceil(std::log(tolerance) / std::log(plan.rate)) : 1;
  } else {
    // The margin is relative to λ₂: an absolute one would swallow the gap of a long cycle.
    const double margin = kSpectrumMargin * spectrum_of_l.lambda_2;
    plan.spectrum_high += margin;
    plan.spectrum_low -= margin;
    const double growth = std::acosh(image_of_one(plan));
    plan.rate = std::exp(-growth);
    rounds = std::ceil(std::acosh(1 / tolerance) / growth);
  }
  SOTTO_ASSIGN(plan.rounds, checked_rounds(rounds));
  return plan;
}

// Chebyshev's semi-iteration: y(k) = T_k(M)y(0)/T_k(x) with
//     M = (2W − (low + high)I)/(high − low),  T_{k+1}(M) = 2M·T_k(M) − T_{k−1}(M).
// With r_k = T_{k−1}(x)/T_k(x), so r_{k+1} = 1/(2x − r_k):
//     y(1) = r₁·My(0),   y(k+1) = 2r_{k+1}·My(k) − r_{k+1}r_k·y(k−1).
MixingStep MixingSchedule::next() {
  if (plan_.method != ConsensusMethod::kChebyshev) return {};
  const double width = plan_.spectrum_high - plan_.spectrum_low;
  const double middle = plan_.spectrum_high + plan_.spectrum_low;
  const double x = image_of_one(plan_);
  const bool first = ratio_ == 0;
  const double next_ratio = first ? 1 / x : 1 / (2 * x - ratio_);
  const double scale = first ? next_ratio : 2 * next_ratio;
  const MixingStep step{.mixed = 2 * scale / width,
                        .current = -scale * middle / width,
                        .previous = first ? 0 : -next_ratio * ratio_};
  ratio_ = next_ratio;
  return step;
}

}  // namespace sotto
