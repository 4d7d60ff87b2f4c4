// Sealing in a simulation: machine words, or the state machines message by message.
#include "simulate/releases.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/random.h"
#include "graph/graph.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

// One trial's parties before the release, and what they draw from.
struct Sealers {
  std::vector<Secret> secrets;
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

Sealers make_sealers(const AveragingSetup& setup, const Secrets& secrets,
                     const SimulationOptions& options, std::uint64_t trial) {
  Sealers result;
  const Graph& graph = setup.weights.graph();
  const Cipher& cipher = options.cipher != nullptr ? *options.cipher : ideal_cipher();
  // Without a seed there is real data behind it, and everything is as on a network.
  const Agreement agreement =
      options.random_from == RandomFrom::kSeed ? Agreement::kIdeal : Agreement::kX25519;
  for (PartyId i = 0; i < graph.size(); ++i) result.secrets.push_back(secrets.of(i));
  for (PartyId i = 0; i < graph.size(); ++i) {
    draw_from(options, trial, i, result);
    // A real cipher's keys take long, and are made on all cores.
    std::function<KeyPairs()> key_pairs;
    if (options.cipher != nullptr && std::holds_alternative<ShuffleNoise>(setup.noise)) {
      key_pairs = [&cipher, &graph, i, &random = *result.keys.back()] {
        KeyedRandom::Key from{};
        random.fill(from);
        return generate_key_pairs(cipher, from, graph.neighbours(i));
      };
    }
    result.sealing.push_back(make_sealing(setup.noise, {.self = i,
                                                        .graph = graph,
                                                        .secret = result.secrets[i],
                                                        .noise = *result.noise.back(),
                                                        .keys = *result.keys.back(),
                                                        .cipher = &cipher,
                                                        .key_pairs = std::move(key_pairs),
                                                        .context = "sotto simulation",
                                                        .agreement = agreement}));
  }
  return result;
}

Result<std::vector<Released>> run_sealing(const AveragingSetup& setup, const Secrets& secrets,
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
}  // namespace

Result<void> all_in_words(const SimulationOptions& options, bool words) {
  if (options.part == nullptr) return {};
  Result<void> own;
  if (!words) {
    own = failed("E-ranks-words",
                 "the noise, or the costs, are past machine words, in which ranks seal",
                 "run it without mpirun; dishuf: calibration = \"graph\"");
  }
  return agree(options.part->ranks(), own);
}

Releases::Releases(const AveragingSetup& setup, const Secrets& secrets,
                   const SimulationOptions& options)
    : setup_(setup), secrets_(secrets), options_(options) {
  const bool words = options.random_from == RandomFrom::kSeed && options.cipher == nullptr &&
                     !options.on_release && !options.by_messages;
  if (!words) return;
  std::optional<SealPart> part;
  if (options.part != nullptr) part.emplace(options.part->seal());
  seal_ = TrialSeal::make(setup.noise, setup.weights.graph(), secrets, part ? &*part : nullptr);
}

Result<void> Releases::draw(std::uint64_t number, std::size_t count, TrialValues& released,
                            std::size_t done, TrialValues& sums) {
  if (seal_) {
    in_words(number, count, released, done, sums);
    return {};
  }
  for (std::size_t t = 0; t < count; ++t) {
    SOTTO_ASSIGN(const auto releases, run_sealing(setup_, secrets_, options_, number + t));
    if (options_.on_release) options_.on_release(number + t, releases);
    if (exact()) std::ranges::copy(exact_sum(releases), sums.at(done + t, 0).begin());
    if (!wants_released()) continue;
    for (PartyId i = 0; i < releases.size(); ++i) {
      std::ranges::copy(releases[i].values(), released.at(t, i).begin());
    }
  }
  return {};
}

bool Releases::sum_alone(TrialValues& sums) {
  if (!seal_ || wants_released()) return false;
  indices_.resize(sums.trials() * sums.entries());
  seal_->sum({.seed = options_.seed,
              .number = options_.first_trial,
              .count = sums.trials(),
              .threads = options_.threads},
             indices_);
  if (options_.part != nullptr) add_other_ranks(indices_);
  const std::size_t entries = sums.entries();
  if (sums.parties() == 1) {
    seal_->values(indices_, sums.all());
    return true;
  }
  for (std::size_t t = 0; t < sums.trials(); ++t) {
    seal_->values(std::span(indices_).subspan(t * entries, entries), sums.at(t, 0));
    for (std::size_t i = 1; i < sums.parties(); ++i) {
      std::ranges::copy(sums.at(t, 0), sums.at(t, i).begin());
    }
  }
  return true;
}

void Releases::in_words(std::uint64_t number, std::size_t count, TrialValues& released,
                        std::size_t done, TrialValues& sums) {
  const std::size_t entries = seal_->entries();
  const std::size_t all = seal_->parties() * entries;
  indices_.resize(count * all);
  seal_->seal(
      {.seed = options_.seed, .number = number, .count = count, .threads = options_.threads},
      indices_);
  if (wants_released()) seal_->values(indices_, released.all());
  if (!exact()) return;
  std::vector<TrialSeal::Index> total(entries);
  for (std::size_t t = 0; t < count; ++t) {
    std::ranges::fill(total, 0);
    for (std::size_t at = t * all; at < (t + 1) * all; at += entries) {
      for (std::size_t k = 0; k < entries; ++k) total[k] += indices_[at + k];
    }
    if (options_.part != nullptr) add_other_ranks(total);
    seal_->values(total, sums.at(done + t, 0));
  }
}

void Releases::add_other_ranks(std::vector<TrialSeal::Index>& totals) const {
  Ranks& ranks = options_.part->ranks();
  const std::vector<TrialSeal::Index> own = totals;
  std::ranges::fill(totals, 0);
  for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
    std::vector<TrialSeal::Index> theirs = own;
    ranks.broadcast(rank, std::as_writable_bytes(std::span(theirs)));
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += theirs[k];
  }
}

}  // namespace sotto
