#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/check.h"
#include "protocol/message.h"

// Synchronous rounds over unordered messages, for the averaging and for `gt` alike.
namespace sotto::protocol {

// One party's mailbox, and the one loop over rounds: in every round each neighbour sends one T. A
// neighbour can be at most one round ahead, because it cannot finish a round without our message:
// so two slots per neighbour hold everything an honest neighbour can send, whatever the delivery
// order.
template <class T>
class RoundExchange {
 public:
  RoundExchange(PartyId self, const Graph& graph, Round rounds)
      : self_(self),
        rounds_(rounds),
        neighbours_(graph.neighbours(self).begin(), graph.neighbours(self).end()),
        current_(neighbours_.size()),
        next_(neighbours_.size()),
        missing_(neighbours_.size()) {}

  [[nodiscard]] const std::vector<PartyId>& neighbours() const { return neighbours_; }
  [[nodiscard]] Round round() const { return round_; }
  [[nodiscard]] Round rounds() const { return rounds_; }
  [[nodiscard]] bool done() const { return round_ >= rounds_; }
  // What neighbour number k sent. For the `step` of play() only.
  [[nodiscard]] const T& from(std::size_t k) const { return *current_[k]; }

  // Which neighbour this is, if it is one.
  [[nodiscard]] std::optional<std::size_t> place_of(PartyId party) const {
    const auto found = std::lower_bound(neighbours_.begin(), neighbours_.end(), party);
    if (found == neighbours_.end() || *found != party) return std::nullopt;
    return static_cast<std::size_t>(found - neighbours_.begin());
  }

  [[nodiscard]] std::vector<Message> broadcast(const Payload& payload) const {
    std::vector<Message> out;
    for (const PartyId to : neighbours_) out.emplace_back(self_, to, payload);
    return out;
  }

  // Takes in what a neighbour sent, and plays all rounds that this completes: step() makes this
  // party's next state of what all of them sent, tell() is the payload that says it.
  template <class Step, class Tell>
  [[nodiscard]] Result<std::vector<Message>> play(PartyId from, Round round, T value, Step step,
                                                  Tell tell) {
    SOTTO_TRY(accept(from, round, std::move(value)));
    std::vector<Message> out;
    while (!done() && missing_ == 0) {
      step();
      advance();
      if (!done()) std::ranges::move(broadcast(tell()), std::back_inserter(out));
    }
    return out;
  }

 private:
  [[nodiscard]] Result<void> accept(PartyId from, Round round, T value) {
    const auto place = place_of(from);
    if (!place) return bad_peer(from, "is not a neighbour, and sent a round's values");
    if (round != round_ && round != round_ + 1) return bad_peer(from, "sent a round out of phase");
    auto& slot = (round == round_ ? current_ : next_)[*place];
    if (slot) return bad_peer(from, "sent the same round twice");
    slot = std::move(value);
    if (round == round_) --missing_;
    return {};
  }

  void advance() {
    ++round_;
    std::swap(current_, next_);
    missing_ = 0;
    for (auto& slot : next_) slot.reset();
    for (const auto& slot : current_) missing_ += slot ? 0 : 1;
  }

  PartyId self_;
  Round rounds_;
  std::vector<PartyId> neighbours_;
  std::vector<std::optional<T>> current_;
  std::vector<std::optional<T>> next_;
  std::size_t missing_;
  Round round_ = 0;
};

// First rounds of neighbours that released before us: kept until we do.
class EarlyRounds {
 public:
  // `inspect` refuses here what the rounds would refuse later, when the error could no longer be
  // told apart from what made this party release.
  template <class Inspect>
  [[nodiscard]] Result<void> keep(PartyId self, const Graph& graph, const Message& message,
                                  Inspect inspect) {
    if (!std::ranges::binary_search(graph.neighbours(self), message.from)) {
      return bad_peer(message.from, "is not a neighbour, and sent a round's values");
    }
    // A neighbour that released first can be one round ahead, and no more.
    if (std::ranges::find(kept_, message.from, &Message::from) != kept_.end()) {
      return bad_peer(message.from, "sent more than one round before the release");
    }
    SOTTO_TRY(inspect(message));
    kept_.push_back(message);
    return {};
  }

  // Starts the rounds, and gives them what was kept.
  [[nodiscard]] Result<std::vector<Message>> start(Party& rounds) {
    SOTTO_ASSIGN(auto out, rounds.start());
    for (const Message& message : std::exchange(kept_, {})) {
      auto more = rounds.receive(message);
      check(more.has_value(), "what came early was looked at when it came");
      std::ranges::move(*more, std::back_inserter(out));
    }
    return out;
  }

 private:
  std::vector<Message> kept_;
};

}  // namespace sotto::protocol
