// The state machines of the averaging: numbers that are mixed, or releases that are passed on.
#include "protocol/consensus.h"

#include <fmt/format.h>

#include "protocol/rounds.h"

namespace sotto {
namespace {

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
      : parties_(weights.graph().size()),
        weights_(weights.of(self)),
        schedule_(plan),
        exchange_(self, weights.graph(), plan.rounds),
        current_(initial.values()),
        previous_(current_.size(), 0.0) {}

  [[nodiscard]] Result<std::vector<Message>> start() override {
    return exchange_.broadcast(state());
  }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    SOTTO_TRY(inspect_values(message, exchange_.rounds(), current_.size()));
    const auto& values = std::get<RoundValues>(message.payload);
    return exchange_.play(
        message.from, values.round, values.values, [this] { step(); }, [this] { return state(); });
  }

  [[nodiscard]] bool done() const override { return exchange_.done(); }

  [[nodiscard]] Average average() const override {
    Average result{current_};
    for (double& value : result.values) value *= static_cast<double>(parties_);
    return result;
  }

 private:
  void step() {
    const MixingStep coefficients = schedule_.next();
    std::vector<double> next(current_.size());
    for (std::size_t entry = 0; entry < next.size(); ++entry) {
      const double mixed = protocol::mix(current_[entry], weights_,
                                         [&](std::size_t k) { return exchange_.from(k)[entry]; });
      next[entry] = protocol::apply(coefficients, mixed, current_[entry], previous_[entry]);
    }
    previous_ = std::exchange(current_, std::move(next));
  }

  [[nodiscard]] Payload state() const { return RoundValues{exchange_.round(), current_}; }

  std::size_t parties_;
  std::vector<double> weights_;
  MixingSchedule schedule_;
  protocol::RoundExchange<std::vector<double>> exchange_;
  std::vector<double> current_;
  std::vector<double> previous_;
};

// `exact`: forward what you have heard. After as many rounds as the diameter
// everybody holds every release, and the same integers give the same bits.
class ExactConsensus final : public Consensus {
 public:
  ExactConsensus(const ConsensusPlan& plan, PartyId self, const Weights& weights, Released initial)
      : self_(self),
        graph_(weights.graph()),
        exchange_(self, graph_, plan.rounds),
        heard_(weights.graph().size()),
        known_(weights.graph().size()),
        grid_(initial.grid),
        divisor_(std::move(initial.divisor)) {
    for (const PartyId neighbour : exchange_.neighbours()) levels_.emplace_back(graph_, neighbour);
    known_[self] = std::make_shared<const IntegerVector>(std::move(initial.indices));
    heard_[self] = known_[self];
    news_.push_back({self, known_[self]});
  }

  [[nodiscard]] Result<std::vector<Message>> start() override {
    return exchange_.broadcast(news());
  }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    const auto place = exchange_.place_of(message.from);
    if (!place) return bad_peer(message.from, "is not a neighbour, and sent a round's releases");
    SOTTO_TRY(inspect_releases(message, exchange_.rounds(), entries(), levels_[*place]));
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
    SOTTO_ASSIGN(auto out, exchange_.play(
                               message.from, releases.round, releases.news, [this] { learn(); },
                               [this] { return news(); }));
    for (const AuthoredRelease& release : releases.news) known_[release.author] = release.indices;
    return out;
  }

  [[nodiscard]] bool done() const override { return exchange_.done(); }

  [[nodiscard]] Average average() const override {
    IntegerVector total(entries());
    for (const auto& release : heard_) {
      check(release != nullptr, "after as many rounds as the diameter every release is known");
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += (*release)[k];
    }
    return {Released{std::move(total), grid_, divisor_}.values()};
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

  [[nodiscard]] Payload news() const { return RoundReleases{exchange_.round(), news_}; }

  PartyId self_;
  Graph graph_;
  protocol::RoundExchange<std::vector<AuthoredRelease>> exchange_;
  std::vector<DistanceLevels> levels_;                       // by neighbour
  std::vector<std::shared_ptr<const IntegerVector>> heard_;  // by author, in rounds that are over
  std::vector<std::shared_ptr<const IntegerVector>> known_;  // and in those under way
  std::vector<AuthoredRelease> news_;
  Grid grid_;
  Integer divisor_;
};

}  // namespace

Result<void> protocol::inspect_first_round(const ConsensusPlan& plan, const Graph& graph,
                                           std::size_t entries, const Message& message) {
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
