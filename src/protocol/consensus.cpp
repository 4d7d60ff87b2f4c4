#include "protocol/consensus.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "protocol/distance_levels.h"
#include "protocol/round_exchange.h"

namespace sotto {
namespace {

std::vector<PartyId> neighbours_of(const Graph& graph, PartyId party) {
  const auto span = graph.neighbours(party);
  return {span.begin(), span.end()};
}

// What a round of `plain` or `chebyshev` must look like, whoever sent it.
Result<void> inspect_values(const Message& message, Round rounds, std::size_t entries) {
  const auto* values = std::get_if<RoundValues>(&message.payload);
  if (values == nullptr) return bad_peer(message.from, "sent no average in an averaging round");
  if (values->round >= rounds) return bad_peer(message.from, "sent a round after the last");
  if (values->values.size() != entries) {
    return bad_peer(message.from, "sent a vector of another length");
  }
  if (!all_finite(values->values)) {
    return bad_peer(message.from, "sent a number that is not finite");
  }
  return {};
}

// What a round of `exact` must look like. The graph is public, so who is news to
// the sender in this round is known: with every message complete, nobody is
// missing in the end.
Result<void> inspect_releases(const Message& message, Round rounds, std::size_t entries,
                              DistanceLevels& levels_of_sender) {
  const auto* releases = std::get_if<RoundReleases>(&message.payload);
  if (releases == nullptr) return bad_peer(message.from, "sent no releases in a release round");
  if (releases->round >= rounds) return bad_peer(message.from, "sent a round after the last");
  std::vector<PartyId> authors;
  for (const AuthoredRelease& release : releases->news) {
    if (release.indices == nullptr || release.indices->size() != entries) {
      return bad_peer(message.from, "sent a release of another length");
    }
    authors.push_back(release.author);
  }
  std::ranges::sort(authors);
  if (authors != levels_of_sender.at(releases->round)) {
    return bad_peer(message.from, "sent other releases than are news to it in this round");
  }
  return {};
}

// `plain` and `chebyshev`: y ← a·Wy + b·y + c·y_before, a fixed number of times.
class LinearConsensus final : public Consensus {
 public:
  LinearConsensus(const ConsensusPlan& plan, PartyId self, const Weights& weights,
                  const Released& initial)
      : self_(self),
        rounds_(plan.rounds),
        parties_(weights.graph().size()),
        weights_(weights.of(self)),
        schedule_(plan),
        exchange_(neighbours_of(weights.graph(), self)),
        current_(initial.values()),
        previous_(current_.size(), 0.0) {}

  [[nodiscard]] Result<std::vector<Message>> start() override { return broadcast(); }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    if (auto fine = inspect_values(message, rounds_, current_.size()); !fine) {
      return tl::unexpected(fine.error());
    }
    const auto& values = std::get<RoundValues>(message.payload);
    auto accepted = exchange_.accept(message.from, values.round, values.values);
    if (!accepted) return tl::unexpected(accepted.error());
    std::vector<Message> out;
    while (!done() && exchange_.complete()) {
      step();
      exchange_.advance();
      if (!done()) {
        for (Message& m : broadcast()) out.push_back(std::move(m));
      }
    }
    return out;
  }

  [[nodiscard]] bool done() const override { return exchange_.round() >= rounds_; }

  [[nodiscard]] std::vector<double> sum() const override {
    std::vector<double> result = current_;
    for (double& value : result) value *= static_cast<double>(parties_);
    return result;
  }

 private:
  void step() {
    const MixingStep coefficients = schedule_.next();
    std::vector<double> next(current_.size());
    for (std::size_t entry = 0; entry < next.size(); ++entry) {
      const double mixed =
          mix(current_[entry], weights_, [&](std::size_t k) { return exchange_.from(k)[entry]; });
      next[entry] = apply(coefficients, mixed, current_[entry], previous_[entry]);
    }
    previous_ = std::exchange(current_, std::move(next));
  }

  [[nodiscard]] std::vector<Message> broadcast() const {
    const Payload payload = RoundValues{exchange_.round(), current_};
    std::vector<Message> out;
    for (const PartyId to : exchange_.neighbours()) out.emplace_back(self_, to, payload);
    return out;
  }

  PartyId self_;
  Round rounds_;
  std::size_t parties_;
  std::vector<double> weights_;
  MixingSchedule schedule_;
  RoundExchange<std::vector<double>> exchange_;
  std::vector<double> current_;
  std::vector<double> previous_;
};

// `exact`: forward what you have heard. After as many rounds as the diameter
// everybody holds every release, and the same integers give the same bits.
class ExactConsensus final : public Consensus {
 public:
  ExactConsensus(const ConsensusPlan& plan, PartyId self, const Weights& weights, Released initial)
      : self_(self),
        rounds_(plan.rounds),
        graph_(weights.graph()),
        exchange_(neighbours_of(weights.graph(), self)),
        heard_(weights.graph().size()),
        known_(weights.graph().size()),
        grid_(initial.grid),
        divisor_(std::move(initial.divisor)) {
    for (const PartyId neighbour : exchange_.neighbours()) levels_.emplace_back(graph_, neighbour);
    known_[self] = std::make_shared<const IntegerVector>(std::move(initial.indices));
    heard_[self] = known_[self];
    news_.push_back({self, known_[self]});
  }

  [[nodiscard]] Result<std::vector<Message>> start() override { return broadcast(); }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    const auto place = exchange_.place_of(message.from);
    if (!place) return bad_peer(message.from, "is not a neighbour, and sent a round's releases");
    if (auto fine = inspect_releases(message, rounds_, entries(), levels_[*place]); !fine) {
      return tl::unexpected(fine.error());
    }
    const auto& releases = std::get<RoundReleases>(message.payload);
    for (const AuthoredRelease& release : releases.news) {
      const auto& known = known_[release.author];
      if (known != nullptr && known != release.indices && *known != *release.indices) {
        return bad_peer(message.from,
                        fmt::format("sent a release of party {} that differs from the one heard "
                                    "before",
                                    release.author + 1));
      }
    }
    auto accepted = exchange_.accept(message.from, releases.round, releases.news);
    if (!accepted) return tl::unexpected(accepted.error());
    for (const AuthoredRelease& release : releases.news) known_[release.author] = release.indices;
    std::vector<Message> out;
    while (!done() && exchange_.complete()) {
      learn();
      exchange_.advance();
      if (!done()) {
        for (Message& m : broadcast()) out.push_back(std::move(m));
      }
    }
    return out;
  }

  [[nodiscard]] bool done() const override { return exchange_.round() >= rounds_; }

  [[nodiscard]] std::vector<double> sum() const override {
    IntegerVector total(entries());
    for (const auto& release : heard_) {
      check(release != nullptr, "after as many rounds as the diameter every release is known");
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += (*release)[k];
    }
    return Released{std::move(total), grid_, divisor_}.values();
  }

 private:
  [[nodiscard]] std::size_t entries() const { return known_[self_]->size(); }

  void learn() {
    news_.clear();
    for (std::size_t k = 0; k < exchange_.neighbours().size(); ++k) {
      for (const AuthoredRelease& release : exchange_.from(k)) {
        if (heard_[release.author] != nullptr) continue;
        heard_[release.author] = release.indices;
        news_.push_back(release);
      }
    }
  }

  [[nodiscard]] std::vector<Message> broadcast() const {
    const Payload payload = RoundReleases{exchange_.round(), news_};
    std::vector<Message> out;
    for (const PartyId to : exchange_.neighbours()) out.emplace_back(self_, to, payload);
    return out;
  }

  PartyId self_;
  Round rounds_;
  Graph graph_;
  RoundExchange<std::vector<AuthoredRelease>> exchange_;
  std::vector<DistanceLevels> levels_;                       // by neighbour
  std::vector<std::shared_ptr<const IntegerVector>> heard_;  // by author, in rounds that are over
  std::vector<std::shared_ptr<const IntegerVector>> known_;  // and in those under way
  std::vector<AuthoredRelease> news_;
  Grid grid_;
  Integer divisor_;
};

}  // namespace

Result<void> inspect_first_round(const ConsensusPlan& plan, const Graph& graph, std::size_t entries,
                                 const Message& message) {
  if (plan.method != ConsensusMethod::kExact) return inspect_values(message, 1, entries);
  DistanceLevels levels(graph, message.from);
  return inspect_releases(message, 1, entries, levels);
}

std::unique_ptr<Consensus> make_consensus(const ConsensusPlan& plan, PartyId self,
                                          const Weights& weights, Released initial) {
  if (plan.method == ConsensusMethod::kExact) {
    return std::make_unique<ExactConsensus>(plan, self, weights, std::move(initial));
  }
  return std::make_unique<LinearConsensus>(plan, self, weights, initial);
}

}  // namespace sotto
