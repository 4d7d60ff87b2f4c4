// Trials from a seed: sealed message by message, then averaged or tracked by vectors.
#include "simulate/simulation.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "protocol/gt.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

// Trials that go through the engine together: enough to fill the vector units,
// few enough for a long cycle's state to stay in the second-level cache.
constexpr std::size_t kBatch = 8;

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
  result.noise.push_back(fast_noise(options.seed, simulated_stream(trial, i, Draws::kNoise)));
  result.keys.push_back(
      std::make_unique<SeededRandom>(options.seed, simulated_stream(trial, i, Draws::kKeys)));
}

Sealers make_sealers(const AveragingSetup& setup, std::span<const Secret> secrets,
                     const SimulationOptions& options, std::uint64_t trial) {
  Sealers result;
  const Graph& graph = setup.weights.graph();
  const Cipher& cipher = options.cipher != nullptr ? *options.cipher : ideal_cipher();
  for (PartyId i = 0; i < graph.size(); ++i) {
    draw_from(options, trial, i, result);
    // A real cipher's keys take long, and are made on all cores.
    KeyPairs key_pairs;
    if (options.cipher != nullptr && std::holds_alternative<ShuffleNoise>(setup.noise)) {
      KeyedRandom::Key from{};
      result.keys.back()->fill(from);
      key_pairs = generate_key_pairs(cipher, from, graph.neighbours(i));
    }
    result.sealing.push_back(make_sealing(setup.noise, {.self = i,
                                                        .graph = graph,
                                                        .secret = secrets[i],
                                                        .noise = *result.noise.back(),
                                                        .keys = *result.keys.back(),
                                                        .cipher = &cipher,
                                                        .key_pairs = std::move(key_pairs),
                                                        .context = "sotto simulation"}));
  }
  return result;
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
  SOTTO_TRY(run_messages(parties));
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
    SOTTO_ASSIGN(const auto releases, run_sealing(setup, secrets, options, first + t));
    if (options.on_release) options.on_release(first + t, releases);
    auto& trial = values.emplace_back();
    if (setup.consensus.method == ConsensusMethod::kExact) {
      trial.assign(secrets.size(), exact_sum(releases));
    } else {
      for (const Released& release : releases) trial.push_back(release.values());
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

Result<std::uint64_t> run_messages(std::span<const std::unique_ptr<Party>> parties,
                                   RandomSource* schedule) {
  std::deque<Message> under_way;
  auto send = [&](std::vector<Message> messages) {
    for (Message& message : messages) under_way.push_back(std::move(message));
  };
  for (const auto& party : parties) {
    SOTTO_ASSIGN(auto first, party->start());
    send(std::move(first));
  }
  std::uint64_t arrived = 0;
  while (!under_way.empty()) {
    if (schedule != nullptr) {
      std::swap(under_way.front(), under_way[schedule->below(under_way.size())]);
    }
    const Message message = std::move(under_way.front());
    under_way.pop_front();
    check(message.to < parties.size(), "messages go to parties of the run");
    SOTTO_ASSIGN(auto more, parties[message.to]->receive(message));
    send(std::move(more));
    ++arrived;
  }
  check(std::ranges::all_of(parties, [](const auto& party) { return party->done(); }),
        "a run without messages under way is over");
  return arrived;
}

Result<TrialValues> simulate_averaging(const AveragingSetup& setup, std::span<const Secret> secrets,
                                       const SimulationOptions& options) {
  check(secrets.size() == setup.weights.graph().size(), "one secret per party");
  TrialValues result;
  while (result.size() < options.trials) {
    const std::size_t count = std::min(kBatch, options.trials - result.size());
    SOTTO_ASSIGN(auto values, run_batch_by_engine(setup, secrets, options,
                                                  options.first_trial + result.size(), count));
    std::ranges::move(values, std::back_inserter(result));
    if (options.on_trial) options.on_trial(result.size());
  }
  return result;
}

Result<TrialValues> simulate_tracking(const TrackingSetup& setup, std::span<const Secret> secrets,
                                      const SimulationOptions& options,
                                      const TrackingObserver& observer) {
  check(secrets.size() == setup.weights.graph().size(), "one secret per party");
  check(options.random_from == RandomFrom::kSeed, "gradient tracking never runs on tables");
  TrialValues result;
  while (result.size() < options.trials) {
    const std::size_t count = std::min(kBatch, options.trials - result.size());
    std::vector<std::vector<PerturbedCost>> costs;
    for (std::size_t t = 0; t < count; ++t) {
      costs.push_back(
          draw_costs(setup, secrets, options.seed, options.first_trial + result.size() + t));
    }
    std::ranges::move(
        run_gradient_tracking(setup.weights, costs, setup.step, setup.rounds, observer),
        std::back_inserter(result));
    if (options.on_trial) options.on_trial(result.size());
  }
  return result;
}

}  // namespace sotto
