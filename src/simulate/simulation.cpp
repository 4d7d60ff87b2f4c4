#include "simulate/simulation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "protocol/averaging_party.h"
#include "protocol/gradient_tracking.h"
#include "simulate/message_simulator.h"

namespace sotto {
namespace {

// Trials that go through the engine together: enough to fill the vector units,
// few enough for a long cycle's state to stay in the second-level cache.
constexpr std::size_t kBatch = 8;

// Who draws what: each has its own stream of the seed, so that no draw depends on another's.
enum class Purpose : std::uint64_t { kNoise = 0, kKeys = 1 };

std::uint64_t stream(std::uint64_t trial, PartyId party, Purpose purpose) {
  return (trial << 24) | (std::uint64_t{party} << 2) | static_cast<std::uint64_t>(purpose);
}

// One trial's parties before the release, and what they draw from.
struct Sealers {
  std::vector<std::unique_ptr<RandomSource>> bits;  // of exact noise
  std::vector<std::unique_ptr<NoiseSource>> noise;
  std::vector<std::unique_ptr<RandomSource>> keys;
  std::vector<std::unique_ptr<Sealing>> sealing;
};

// Gives party i of a trial its noise and keys.
void draw_from(const SimulationOptions& options, std::uint64_t trial, PartyId i, Sealers& result) {
  if (options.random_from == RandomFrom::kOperatingSystem) {
    auto& bits = *result.bits.emplace_back(std::make_unique<OsRandom>());
    result.noise.push_back(exact_noise(bits));
    result.keys.push_back(std::make_unique<OsRandom>());
    return;
  }
  result.noise.push_back(fast_noise(options.seed, stream(trial, i, Purpose::kNoise)));
  result.keys.push_back(
      std::make_unique<SeededRandom>(options.seed, stream(trial, i, Purpose::kKeys)));
}

Sealers make_sealers(const AveragingSetup& setup, std::span<const Secret> secrets,
                     const SimulationOptions& options, std::uint64_t trial) {
  Sealers result;
  const Graph& graph = setup.weights.graph();
  const Cipher& cipher = options.cipher != nullptr ? *options.cipher : ideal_cipher();
  for (PartyId i = 0; i < graph.size(); ++i) {
    draw_from(options, trial, i, result);
    auto& noise = *result.noise.back();
    auto& keys = *result.keys.back();
    if (const auto* local = std::get_if<LocalNoise>(&setup.noise)) {
      result.sealing.push_back(make_local_sealing(secrets[i], local->sigma, noise));
    } else if (const auto* shuffle = std::get_if<ShuffleNoise>(&setup.noise)) {
      result.sealing.push_back(
          make_shuffle(i, graph, secrets[i], *shuffle, noise, cipher, cipher.generate(keys), keys));
    } else {
      result.sealing.push_back(make_pairwise(i, graph, secrets[i],
                                             std::get<PairwiseNoise>(setup.noise), noise, keys,
                                             "sotto simulation"));
    }
  }
  return result;
}

Result<std::vector<std::vector<double>>> run_trial_by_messages(const AveragingSetup& setup,
                                                               std::span<const Secret> secrets,
                                                               const SimulationOptions& options,
                                                               std::uint64_t trial) {
  Sealers sealers = make_sealers(setup, secrets, options, trial);
  std::vector<std::unique_ptr<Party>> parties;
  for (PartyId i = 0; i < sealers.sealing.size(); ++i) {
    parties.push_back(std::make_unique<AveragingParty>(i, setup.weights, setup.consensus,
                                                       std::move(sealers.sealing[i])));
  }
  if (auto run = run_messages(parties, options.schedule); !run) {
    return tl::unexpected(run.error());
  }
  std::vector<std::vector<double>> sums;
  sums.reserve(parties.size());
  for (const auto& party : parties) sums.push_back(static_cast<AveragingParty&>(*party).result());
  return sums;
}

Result<std::vector<Released>> run_sealing(const AveragingSetup& setup,
                                          std::span<const Secret> secrets,
                                          const SimulationOptions& options, std::uint64_t trial) {
  Sealers sealers = make_sealers(setup, secrets, options, trial);
  std::vector<std::unique_ptr<Party>> parties;
  std::vector<const Sealing*> sealed;
  for (auto& sealing : sealers.sealing) {
    sealed.push_back(sealing.get());
    parties.push_back(std::move(sealing));
  }
  if (auto run = run_messages(parties); !run) return tl::unexpected(run.error());
  std::vector<Released> releases;
  releases.reserve(sealed.size());
  for (const Sealing* sealing : sealed) releases.push_back(sealing->release());
  return releases;
}

// What `exact` leaves everybody with: one sum, the same bits.
std::vector<double> exact_sum(std::span<const Released> releases) {
  Released total = releases[0];
  for (const Released& release : releases.subspan(1)) {
    for (std::size_t k = 0; k < total.indices.size(); ++k) total.indices[k] += release.indices[k];
  }
  return total.values();
}

Result<TrialValues> run_batch_by_engine(const AveragingSetup& setup,
                                        std::span<const Secret> secrets,
                                        const SimulationOptions& options, std::uint64_t first,
                                        std::size_t count) {
  TrialValues values;
  for (std::size_t t = 0; t < count; ++t) {
    const auto releases = run_sealing(setup, secrets, options, first + t);
    if (!releases) return tl::unexpected(releases.error());
    if (options.on_release) options.on_release(first + t, *releases);
    auto& trial = values.emplace_back();
    if (setup.consensus.method == ConsensusMethod::kExact) {
      trial.assign(secrets.size(), exact_sum(*releases));
    } else {
      for (const Released& release : *releases) trial.push_back(release.values());
    }
  }
  if (setup.consensus.method != ConsensusMethod::kExact) {
    run_linear_consensus(setup.weights, setup.consensus, values);
    for (auto& trial : values) {
      for (auto& party : trial) {
        for (double& value : party) value *= static_cast<double>(secrets.size());
      }
    }
  }
  return values;
}

}  // namespace

Result<TrialValues> simulate_averaging(const AveragingSetup& setup, std::span<const Secret> secrets,
                                       const SimulationOptions& options) {
  check(secrets.size() == setup.weights.graph().size(), "one secret per party");
  TrialValues result;
  const std::size_t batch = options.rounds_by == RoundsBy::kEngine ? kBatch : 1;
  while (result.size() < options.trials) {
    const std::size_t count = std::min(batch, options.trials - result.size());
    const std::uint64_t first = options.first_trial + result.size();
    if (options.rounds_by == RoundsBy::kEngine) {
      auto values = run_batch_by_engine(setup, secrets, options, first, count);
      if (!values) return values;
      std::ranges::move(*values, std::back_inserter(result));
    } else {
      auto sums = run_trial_by_messages(setup, secrets, options, first);
      if (!sums) return tl::unexpected(sums.error());
      result.push_back(std::move(*sums));
    }
    if (options.on_trial) options.on_trial(result.size());
  }
  return result;
}

std::vector<PerturbedCost> draw_costs(const TrackingSetup& setup, std::span<const Secret> secrets,
                                      std::uint64_t seed, std::uint64_t trial) {
  std::vector<PerturbedCost> costs;
  for (PartyId i = 0; i < secrets.size(); ++i) {
    const auto noise = fast_noise(seed, stream(trial, i, Purpose::kNoise));
    costs.push_back(perturb_cost(secrets[i], setup.dimension, setup.laplace, setup.sigma, *noise));
  }
  return costs;
}

Result<TrialValues> simulate_tracking(const TrackingSetup& setup, std::span<const Secret> secrets,
                                      const SimulationOptions& options,
                                      const TrackingObserver& observer) {
  check(secrets.size() == setup.weights.graph().size(), "one secret per party");
  check(options.random_from == RandomFrom::kSeed, "gradient tracking never runs on tables");
  TrialValues result;
  const std::size_t batch = options.rounds_by == RoundsBy::kEngine ? kBatch : 1;
  while (result.size() < options.trials) {
    const std::size_t count = std::min(batch, options.trials - result.size());
    std::vector<std::vector<PerturbedCost>> costs;
    for (std::size_t t = 0; t < count; ++t) {
      costs.push_back(
          draw_costs(setup, secrets, options.seed, options.first_trial + result.size() + t));
    }
    if (options.rounds_by == RoundsBy::kEngine) {
      std::ranges::move(
          run_gradient_tracking(setup.weights, costs, setup.step, setup.rounds, observer),
          std::back_inserter(result));
    } else {
      std::vector<std::unique_ptr<Party>> parties;
      for (PartyId i = 0; i < secrets.size(); ++i) {
        parties.push_back(std::make_unique<GradientTracking>(i, setup.weights, costs[0][i],
                                                             setup.step, setup.rounds));
      }
      if (auto run = run_messages(parties, options.schedule); !run) {
        return tl::unexpected(run.error());
      }
      auto& trial = result.emplace_back();
      for (const auto& party : parties) {
        const auto x = static_cast<GradientTracking&>(*party).x();
        trial.emplace_back(x.begin(), x.end());
      }
    }
    if (options.on_trial) options.on_trial(result.size());
  }
  return result;
}

}  // namespace sotto
