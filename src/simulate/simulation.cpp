// Trials from a seed: sealed in words or message by message, then averaged or tracked by vectors.
#include "simulate/simulation.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "graph/graph.h"
#include "privacy/trial_seal.h"
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
  // Without a seed there is real data behind it, and everything is as on a network.
  const Agreement agreement =
      options.random_from == RandomFrom::kSeed ? Agreement::kIdeal : Agreement::kX25519;
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
                                                        .context = "sotto simulation",
                                                        .agreement = agreement}));
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

// What goes into the rounds, trial after trial: in words where the numbers fit and nobody wants to
// see the releases, message by message everywhere else.
class Releases {
 public:
  Releases(const AveragingSetup& setup, std::span<const Secret> secrets,
           const SimulationOptions& options)
      : setup_(setup), secrets_(secrets), options_(options) {
    const bool words = options.random_from == RandomFrom::kSeed && options.cipher == nullptr &&
                       !options.on_release && !options.by_messages;
    if (words) seal_ = TrialSeal::make(setup.noise, setup.weights.graph(), secrets);
    if (seal_) indices_.resize(seal_->parties() * seal_->entries());
  }

  // One trial's numbers before the rounds.
  struct Drawn {
    std::vector<std::vector<double>> released;  // [party][entry]; of `exact` only if it is watched
    std::vector<double> sum;                    // of `exact`
  };
  [[nodiscard]] Result<Drawn> draw(std::uint64_t trial) {
    Drawn drawn;
    if (seal_) {
      in_words(trial, drawn);
      return drawn;
    }
    SOTTO_ASSIGN(const auto releases, run_sealing(setup_, secrets_, options_, trial));
    if (options_.on_release) options_.on_release(trial, releases);
    if (exact()) drawn.sum = exact_sum(releases);
    if (wants_released()) {
      for (const Released& release : releases) drawn.released.push_back(release.values());
    }
    return drawn;
  }

 private:
  [[nodiscard]] bool exact() const { return setup_.consensus.method == ConsensusMethod::kExact; }
  [[nodiscard]] bool wants_released() const { return !exact() || options_.on_round; }

  void in_words(std::uint64_t trial, Drawn& drawn) {
    const std::size_t parties = seal_->parties();
    const std::size_t entries = seal_->entries();
    noise_.clear();
    keys_.clear();
    for (PartyId i = 0; i < parties; ++i) {
      noise_.emplace_back(options_.seed, simulated_stream(trial, i, Draws::kNoise));
      keys_.emplace_back(options_.seed, simulated_stream(trial, i, Draws::kKeys));
    }
    seal_->seal(noise_, keys_, indices_);
    if (wants_released()) {
      for (PartyId i = 0; i < parties; ++i) drawn.released.push_back(values_from(i * entries));
    }
    if (exact()) {
      for (std::size_t at = entries; at < indices_.size(); ++at) {
        indices_[at % entries] += indices_[at];
      }
      drawn.sum = values_from(0);
    }
  }

  [[nodiscard]] std::vector<double> values_from(std::size_t first) const {
    std::vector<double> values(seal_->entries());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = seal_->value(indices_[first + k]);
    return values;
  }

  const AveragingSetup& setup_;
  std::span<const Secret> secrets_;
  const SimulationOptions& options_;
  std::optional<TrialSeal> seal_;
  std::vector<TrialSeal::Index> indices_;
  std::vector<noise::FastDraws> noise_;
  std::vector<noise::FastDraws> keys_;
};

// The rounds of `exact` for who watches them: after round t a party knows the releases of all that
// are at most t edges away, and their mean is what it would take for everybody's.
void watch_forwarding(const AveragingSetup& setup, const TrialValues& released,
                      const RoundObserver& observer) {
  const Graph& graph = setup.weights.graph();
  const std::size_t parties = graph.size();
  const std::size_t entries = released[0][0].size();
  const std::size_t trials = released.size();
  std::vector<std::vector<std::uint32_t>> hops;
  for (PartyId i = 0; i < parties; ++i) hops.push_back(distances(graph, i));
  std::vector<double> sums(parties * trials * entries, 0.0);
  std::vector<double> means(sums.size());
  std::vector<double> heard(parties, 0.0);
  for (Round round = 0; round <= setup.consensus.rounds; ++round) {
    for (PartyId i = 0; i < parties; ++i) {
      double* sum = &sums[i * trials * entries];
      for (PartyId j = 0; j < parties; ++j) {
        if (hops[i][j] != round) continue;
        heard[i] += 1;
        for (std::size_t t = 0; t < trials; ++t) {
          for (std::size_t k = 0; k < entries; ++k) sum[t * entries + k] += released[t][j][k];
        }
      }
      for (std::size_t at = 0; at < trials * entries; ++at) {
        means[i * trials * entries + at] = sum[at] / heard[i];
      }
    }
    const RoundView::Strides strides{.party = trials * entries, .entry = 1, .trial = entries};
    observer(round, RoundView(means.data(), strides, entries, trials));
  }
}

// The costs of trial after trial of `gt`, in words where they fit.
class PerturbedCosts {
 public:
  PerturbedCosts(const TrackingSetup& setup, std::span<const Secret> secrets,
                 const SimulationOptions& options)
      : setup_(setup), secrets_(secrets), options_(options) {
    if (!options.by_messages) {
      costs_ = TrialCosts::make(secrets, setup.dimension, setup.laplace, setup.sigma);
    }
  }

  [[nodiscard]] std::vector<PerturbedCost> draw(std::uint64_t trial) const {
    if (!costs_) return draw_costs(setup_, secrets_, options_.seed, trial);
    std::vector<PerturbedCost> result;
    result.reserve(secrets_.size());
    for (PartyId i = 0; i < secrets_.size(); ++i) {
      noise::FastDraws draws(options_.seed, simulated_stream(trial, i, Draws::kNoise));
      result.push_back(costs_->draw(i, draws));
    }
    return result;
  }

 private:
  const TrackingSetup& setup_;
  std::span<const Secret> secrets_;
  const SimulationOptions& options_;
  std::optional<TrialCosts> costs_;
};

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
  Releases releases(setup, secrets, options);
  TrialValues result;
  result.reserve(options.trials);
  while (result.size() < options.trials) {
    const std::size_t count = std::min(kBatch, options.trials - result.size());
    TrialValues values;
    std::vector<std::vector<double>> sums;
    for (std::size_t t = 0; t < count; ++t) {
      SOTTO_ASSIGN(auto drawn, releases.draw(options.first_trial + result.size() + t));
      values.push_back(std::move(drawn.released));
      sums.push_back(std::move(drawn.sum));
    }
    if (setup.consensus.method == ConsensusMethod::kExact) {
      if (options.on_round) watch_forwarding(setup, values, options.on_round);
      const std::size_t copies = options.one_for_all ? 1 : secrets.size();
      for (std::size_t t = 0; t < count; ++t) {
        values[t].assign(copies - 1, sums[t]);
        values[t].push_back(std::move(sums[t]));
      }
    } else {
      run_linear_consensus(setup.weights, setup.consensus, values, options.on_round);
      for (auto& trial : values) {
        for (auto& party : trial) {
          for (double& value : party) value *= static_cast<double>(secrets.size());
        }
      }
    }
    std::ranges::move(values, std::back_inserter(result));
    if (options.on_trial) options.on_trial(result.size());
  }
  return result;
}

Result<TrialValues> simulate_tracking(const TrackingSetup& setup, std::span<const Secret> secrets,
                                      const SimulationOptions& options,
                                      const RoundObserver& observer) {
  check(secrets.size() == setup.weights.graph().size(), "one secret per party");
  check(options.random_from == RandomFrom::kSeed, "gradient tracking never runs on tables");
  const PerturbedCosts perturbed(setup, secrets, options);
  TrialValues result;
  result.reserve(options.trials);
  while (result.size() < options.trials) {
    const std::size_t count = std::min(kBatch, options.trials - result.size());
    std::vector<std::vector<PerturbedCost>> costs;
    for (std::size_t t = 0; t < count; ++t) {
      costs.push_back(perturbed.draw(options.first_trial + result.size() + t));
    }
    std::ranges::move(
        run_gradient_tracking(setup.weights, costs, setup.step, setup.rounds, observer),
        std::back_inserter(result));
    if (options.on_trial) options.on_trial(result.size());
  }
  return result;
}

}  // namespace sotto
