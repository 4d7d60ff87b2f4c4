// Trials from a seed: sealed in words or message by message, then averaged or tracked by vectors.
#include "simulate/simulation.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "graph/graph.h"
#include "privacy/trial_seal.h"
#include "protocol/gt.h"
#include "simulate/releases.h"

namespace sotto {
namespace {

// Trials that go through the engine together: enough to fill the vector units,
// few enough for a long cycle's state to stay in the second-level cache.
constexpr std::size_t kBatch = 8;

// Of a network as large as this one trial at a time fills the vector units and the memory.
constexpr std::size_t kAloneFrom = 1 << 13;

// What the rounds are walked with.
EngineOptions engine_options(const SimulationOptions& options, const RoundObserver& observer) {
  return {.observer = observer,
          .threads = options.threads,
          .renumber_from = options.renumber_from,
          .halo = options.part == nullptr ? nullptr : &options.part->halo(),
          .keeper = options.keeper};
}

// The graph as the rounds of all trials walk it: a rank's part is there already.
class WalkedGraph {
 public:
  WalkedGraph(const Weights& weights, const SimulationOptions& options) : part_(options.part) {
    if (part_ == nullptr) whole_.emplace(weights, options.renumber_from);
  }
  [[nodiscard]] const RoundGraph& get() const {
    return part_ == nullptr ? *whole_ : part_->graph();
  }

 private:
  NetworkPart* part_;
  std::optional<RoundGraph> whole_;
};

// Of the whole network, or of a rank's part of it.
std::size_t parties_of(const Weights& weights, const SimulationOptions& options) {
  return options.part == nullptr ? weights.graph().size() : options.part->own().size();
}

bool resumed(const SimulationOptions& options) {
  return options.keeper != nullptr && options.keeper->reached() > 0;
}

// The rounds of `exact` for who watches them: after round t a party knows the releases of all that
// are at most t edges away, and their mean is what it would take for everybody's.
void watch_forwarding(const AveragingSetup& setup, const TrialValues& released,
                      const RoundObserver& observer) {
  const Graph& graph = setup.weights.graph();
  const std::size_t parties = graph.size();
  const std::size_t entries = released.entries();
  const std::size_t trials = released.trials();
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
          for (std::size_t k = 0; k < entries; ++k) sum[t * entries + k] += released.at(t, j)[k];
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
  PerturbedCosts(const TrackingSetup& setup, const Secrets& secrets,
                 const SimulationOptions& options)
      : setup_(setup), secrets_(secrets), options_(options) {
    if (!options.by_messages) {
      costs_ = TrialCosts::make(secrets, setup.dimension, setup.laplace, setup.sigma);
    }
  }

  [[nodiscard]] Result<void> ready() const { return all_in_words(options_, costs_.has_value()); }

  // θ of every party's G and H to costs.at(place, party).
  void draw(std::uint64_t number, std::size_t place, TrialValues& costs) const {
    if (!costs_) {
      const auto drawn = draw_costs(setup_, secrets_, options_.seed, number);
      for (PartyId i = 0; i < drawn.size(); ++i) write(drawn[i], costs.at(place, i));
      return;
    }
    const auto party = [&](std::size_t i) {
      const std::uint64_t name = options_.part == nullptr ? i : options_.part->own()[i];
      noise::FastDraws draws(options_.seed, noise::stream_of(number, name, Draws::kNoise));
      costs_->draw(i, draws, costs.at(place, i));
    };
    constexpr std::size_t kTogether = 4096;
    const std::size_t parts = (secrets_.size() + kTogether - 1) / kTogether;
    parallel_for(parts, parts == 1 ? 1 : options_.threads, [&](std::size_t part) {
      const std::size_t end = std::min(secrets_.size(), (part + 1) * kTogether);
      for (std::size_t i = part * kTogether; i < end; ++i) party(i);
    });
  }

 private:
  static void write(const PerturbedCost& cost, std::span<double> theta) {
    auto at = theta.begin();
    for (Eigen::Index r = 0; r < cost.h.size(); ++r) {
      for (Eigen::Index c = r; c < cost.h.size(); ++c) *at++ = cost.g(r, c);
    }
    std::copy(cost.h.begin(), cost.h.end(), at);
  }

  const TrackingSetup& setup_;
  const Secrets& secrets_;
  const SimulationOptions& options_;
  std::optional<TrialCosts> costs_;
};

// Trials whose parties average what they release.
class AveragingTrials : public TrialRunner {
 public:
  AveragingTrials(const AveragingSetup& setup, const Secrets& secrets,
                  const SimulationOptions& options)
      : setup_(setup), secrets_(secrets), options_(options), releases_(setup, secrets, options_) {
    check(secrets.size() == parties_of(setup.weights, options), "one secret per party");
  }
  // Its releases look at its own options.
  AveragingTrials(const AveragingTrials&) = delete;
  AveragingTrials& operator=(const AveragingTrials&) = delete;

  Result<TrialValues> run(std::uint64_t first, std::size_t trials,
                          const RoundObserver& observer) override {
    options_.first_trial = first;
    options_.trials = trials;
    options_.on_round = observer;
    SOTTO_TRY(releases_.ready());
    const bool exact = releases_.exact();
    const std::size_t network = setup_.weights.graph().size();
    const std::size_t parties = secrets_.size();
    const std::size_t entries = secrets_.entries();
    const std::size_t copies = exact && options_.one_for_all ? 1 : parties;
    TrialValues result(trials, copies, entries);
    if (releases_.sum_alone(result)) {
      if (options_.on_trial) options_.on_trial(trials);
      return result;
    }
    if (!exact && !graph_) graph_.emplace(setup_.weights, options_);
    for (std::size_t done = 0; done < trials;) {
      const std::size_t count = std::min(trials_together(network), trials - done);
      TrialValues values(releases_.wants_released() ? count : 0, parties, entries);
      if (!resumed(options_)) {
        SOTTO_TRY(releases_.draw(first + done, count, values, done, result));
      }
      if (exact) {
        if (observer) watch_forwarding(setup_, values, observer);
        for (std::size_t t = done; t < done + count; ++t) {
          for (std::size_t i = 1; i < copies; ++i) {
            std::ranges::copy(result.at(t, 0), result.at(t, i).begin());
          }
        }
      } else {
        run_linear_consensus(graph_->get(), setup_.consensus, values,
                             engine_options(options_, observer));
        auto sum = result.at(done, 0).data();
        for (const double mean : values.all()) *sum++ = mean * static_cast<double>(network);
      }
      done += count;
      if (options_.on_trial) options_.on_trial(done);
    }
    return result;
  }

 private:
  const AveragingSetup& setup_;
  const Secrets& secrets_;
  SimulationOptions options_;
  Releases releases_;
  std::optional<WalkedGraph> graph_;
};

// Trials of gradient tracking.
class TrackingTrials : public TrialRunner {
 public:
  TrackingTrials(const TrackingSetup& setup, const Secrets& secrets,
                 const SimulationOptions& options)
      : setup_(setup),
        secrets_(secrets),
        options_(options),
        perturbed_(setup, secrets, options_),
        graph_(setup.weights, options) {
    check(secrets.size() == parties_of(setup.weights, options), "one secret per party");
    check(options.random_from == RandomFrom::kSeed, "gradient tracking never runs on tables");
  }
  // Its costs look at its own options.
  TrackingTrials(const TrackingTrials&) = delete;
  TrackingTrials& operator=(const TrackingTrials&) = delete;

  Result<TrialValues> run(std::uint64_t first, std::size_t trials,
                          const RoundObserver& observer) override {
    SOTTO_TRY(perturbed_.ready());
    const std::size_t together = trials_together(setup_.weights.graph().size());
    TrialValues result(trials, secrets_.size(), setup_.dimension);
    for (std::size_t done = 0; done < trials;) {
      const std::size_t count = std::min(together, trials - done);
      TrialValues costs(count, secrets_.size(), secrets_.entries());
      for (std::size_t t = 0; t < count; ++t) perturbed_.draw(first + done + t, t, costs);
      const TrialValues x =
          run_gradient_tracking(graph_.get(), costs, setup_.dimension, setup_.step, setup_.rounds,
                                engine_options(options_, observer));
      std::ranges::copy(x.all(), result.at(done, 0).data());
      done += count;
      if (options_.on_trial) options_.on_trial(done);
    }
    return result;
  }

 private:
  const TrackingSetup& setup_;
  const Secrets& secrets_;
  SimulationOptions options_;
  PerturbedCosts perturbed_;
  WalkedGraph graph_;
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

std::size_t trials_together(std::size_t parties) {
  return parties >= kAloneFrom ? 1 : kBatch;
}

std::unique_ptr<TrialRunner> averaging_trials(const AveragingSetup& setup, const Secrets& secrets,
                                              const SimulationOptions& options) {
  return std::make_unique<AveragingTrials>(setup, secrets, options);
}

std::unique_ptr<TrialRunner> tracking_trials(const TrackingSetup& setup, const Secrets& secrets,
                                             const SimulationOptions& options) {
  return std::make_unique<TrackingTrials>(setup, secrets, options);
}

Result<TrialValues> simulate_averaging(const AveragingSetup& setup, const Secrets& secrets,
                                       const SimulationOptions& options) {
  return AveragingTrials(setup, secrets, options)
      .run(options.first_trial, options.trials, options.on_round);
}

Result<TrialValues> simulate_tracking(const TrackingSetup& setup, const Secrets& secrets,
                                      const SimulationOptions& options,
                                      const RoundObserver& observer) {
  return TrackingTrials(setup, secrets, options).run(options.first_trial, options.trials, observer);
}

}  // namespace sotto
