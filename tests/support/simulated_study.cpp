// Made-up values, and the parties that bring them.

#include "support/simulated_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/check.h"
#include "base/digest.h"
#include "protocol/setup.h"

namespace sotto {
namespace {

constexpr std::size_t kIdealCiphertextBytes = 32;
constexpr double kTolerance = 0.05;  // linear methods; few rounds are enough to disturb
constexpr double kSensitivity = 0.1;
constexpr double kTrackingStep = 0.05;
constexpr Round kTrackingRounds = 45;
constexpr Time kMeeting{180'000};
constexpr Time kPatience{120'000};

double noise_sigma(std::size_t members) {
  return 0.05 * static_cast<double>(members);
}

// Uniform in [0, 1), on a grid of 2⁻³².
double fraction(RandomSource& random) {
  return static_cast<double>(random.bits64() >> 32) * 0x1p-32;
}

Noise noise_of(SimulatedSolver solver, double sigma) {
  switch (solver) {
    case SimulatedSolver::kShuffle:
      return ShuffleNoise{
          .sigma_gamma = sigma, .sigma_eta = 2, .inverse_zeta = 100'000, .multiplier_max = 100};
    case SimulatedSolver::kPairwise:
      return PairwiseNoise{.sigma_gamma = sigma, .sigma_edge = 2};
    case SimulatedSolver::kLocal:
    case SimulatedSolver::kTracking:
      break;
  }
  return LocalNoise{.sigma = sigma};
}

}  // namespace

std::string to_string(SimulatedSolver solver) {
  switch (solver) {
    case SimulatedSolver::kLocal:
      return "ac";
    case SimulatedSolver::kShuffle:
      return "dishuf";
    case SimulatedSolver::kPairwise:
      return "pairwise";
    case SimulatedSolver::kTracking:
      return "gt";
  }
  return {};
}

SimulatedStudy SimulatedStudy::make(SimulatedSolver solver, ConsensusMethod method, Graph graph,
                                    std::size_t min_parties, std::size_t entries,
                                    RandomSource& random) {
  SimulatedStudy study{solver, method, std::move(graph), min_parties, {}, {}};
  for (PartyId p = 0; p < study.graph.size(); ++p) {
    auto& theta = study.thetas.emplace_back();
    if (solver == SimulatedSolver::kTracking) {
      theta = {3 + fraction(random), 1 + fraction(random)};
      continue;
    }
    for (std::size_t k = 0; k < entries; ++k) theta.push_back(2 * fraction(random) - 1);
  }
  return study;
}

SessionTerms SimulatedStudy::terms(PartyId self) const {
  std::vector<std::string> names;
  for (PartyId p = 0; p < graph.size(); ++p) names.push_back(fmt::format("party-{}", p + 1));
  const std::string hash = Digest("a simulated study").value();
  return {.study_hash = hash,
          .self = self,
          .graph = graph,
          .names = std::move(names),
          .min_parties = min_parties,
          .meeting = kMeeting,
          .patience = kPatience,
          .debit = {.run = {},
                    .attempt = {},
                    .study = "simulated",
                    .data = fmt::format("table {}", self),
                    .unit = "entry",
                    .epsilon = 1,
                    .delta = 1e-6,
                    .charges = {},
                    .guaranteed = kSimulatedObserver},
          .limits = limits(graph.size(), 0)};
}

// Values are below 2⁴⁴ steps of the grid; the shuffle multiplies them by 10⁵ at most, and the ideal
// cipher puts 16 bytes behind each.
MessageLimits SimulatedStudy::limits(std::size_t members, Round rounds) const {
  const bool exact = solver != SimulatedSolver::kTracking && method == ConsensusMethod::kExact;
  const std::size_t entries = thetas.front().size();
  // N² has twice as many bits as N, and two more than a plaintext.
  const std::size_t ciphertext =
      cipher != nullptr ? (*cipher->plaintext_bits() + 2) / 4 : kIdealCiphertextBytes;
  return limits_of({.parties = members,
                    .ciphertexts = solver == SimulatedSolver::kShuffle ? entries : 0,
                    .ciphertext_bytes = ciphertext,
                    .key_bytes = cipher != nullptr ? 2 * ciphertext : 22,
                    .entries = exact ? entries : 0,
                    .integer_bytes = 16,
                    .integer_width = 12,
                    .values = exact ? 0 : entries,
                    .rounds = rounds});
}

PartyFactory SimulatedStudy::factory(PartyId self) const {
  return [study = *this, self](std::span<const PartyId> members,
                               const AttemptKeys& keys) -> Result<AttemptParty> {
    const auto found = std::ranges::lower_bound(members, self);
    check(found != members.end() && *found == self, "a party is a member of its own attempts");
    const auto place = static_cast<PartyId>(found - members.begin());
    const Weights weights = Weights::metropolis(study.graph.restricted_to(members));
    const Secret secret = Secret::of_entries(study.thetas[self], *Sensitivity::make(kSensitivity));
    const double sigma = noise_sigma(members.size());
    const bool looks = study.solver == SimulatedSolver::kShuffle;
    AttemptParty attempt;
    attempt.charges = {{.observer = "eavesdropper", .released = 1, .looks = 0},
                       {.observer = kSimulatedObserver,
                        .released = kSimulatedRelease,
                        .looks = looks ? kSimulatedLook : 0}};
    if (looks) {
      for (const char* observer : {"eavesdropper", kSimulatedObserver}) {
        attempt.if_neighbour_released.push_back(
            {.observer = observer, .released = 0, .looks = kSimulatedNeighbourRelease});
      }
    }
    if (study.solver == SimulatedSolver::kTracking) {
      const auto laplace =
          GridLaplace::make(*Epsilon::make(10), *Sensitivity::make(kSensitivity), kSensitivity);
      attempt.limits = study.limits(members.size(), kTrackingRounds);
      attempt.party = make_party(TrackingSetup{.weights = weights,
                                               .dimension = 1,
                                               .laplace = laplace,
                                               .sigma = sigma,
                                               .step = kTrackingStep,
                                               .rounds = kTrackingRounds},
                                 {.self = place, .secret = secret, .draws = keys.draws});
      return attempt;
    }
    auto plan = plan_consensus(study.method, kTolerance, weights);
    if (!plan) return plan.error();
    std::vector<PartyId> neighbours;
    for (const PartyId neighbour : weights.graph().neighbours(place)) {
      neighbours.push_back(members[neighbour]);
    }
    const Cipher* used = study.cipher != nullptr ? study.cipher.get() : &ideal_cipher();
    attempt.limits = study.limits(members.size(), plan->rounds);
    attempt.party = make_party(
        AveragingSetup{weights, *plan, noise_of(study.solver, sigma)},
        {.self = place,
         .secret = secret,
         .draws = keys.draws,
         .cipher = used,
         .key_pairs = [used, from = keys.cipher,
                       neighbours] { return generate_key_pairs(*used, from, neighbours); },
         .context = "a simulated study"});
    return attempt;
  };
}

double SimulatedStudy::noise_limit(std::size_t members) const {
  return 10 * noise_sigma(members) * std::sqrt(static_cast<double>(members));
}

Result<std::vector<std::vector<double>>> run_undisturbed(
    std::span<const std::unique_ptr<StagedParty>> parties) {
  std::deque<Message> under_way;
  const auto post = [&](Result<std::vector<Message>> out) -> Result<void> {
    if (!out) return out.error();
    std::ranges::move(*out, std::back_inserter(under_way));
    return {};
  };
  const auto deliver_all = [&]() -> Result<void> {
    while (!under_way.empty()) {
      const Message message = std::move(under_way.front());
      under_way.pop_front();
      if (auto posted = post(parties[message.to]->receive(message)); !posted) return posted;
    }
    return {};
  };
  for (const auto& party : parties) {
    if (auto posted = post(party->start()); !posted) return posted.error();
  }
  if (auto sealed = deliver_all(); !sealed) return sealed.error();
  for (const auto& party : parties) {
    check(party->sealed(), "without a fault everybody seals");
    if (auto posted = post(party->release()); !posted) return posted.error();
  }
  if (auto averaged = deliver_all(); !averaged) return averaged.error();
  std::vector<std::vector<double>> results;
  for (const auto& party : parties) results.push_back(party->result().values);
  return results;
}

}  // namespace sotto
