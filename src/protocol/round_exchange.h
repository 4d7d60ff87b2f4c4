#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "protocol/message.h"

namespace sotto {

// One party's mailbox in a synchronous exchange: in every round each neighbour
// sends one T. A neighbour can be at most one round ahead, because it cannot
// finish a round without our message: so two slots per neighbour hold everything
// an honest neighbour can send, whatever the delivery order.
template <class T>
class RoundExchange {
 public:
  explicit RoundExchange(std::vector<PartyId> neighbours)
      : neighbours_(std::move(neighbours)),
        current_(neighbours_.size()),
        next_(neighbours_.size()),
        missing_(neighbours_.size()) {}

  [[nodiscard]] const std::vector<PartyId>& neighbours() const { return neighbours_; }
  [[nodiscard]] Round round() const { return round_; }
  [[nodiscard]] bool complete() const { return missing_ == 0; }
  // What neighbour number k sent. Precondition: complete().
  [[nodiscard]] const T& from(std::size_t k) const { return *current_[k]; }

  // Which neighbour this is, if it is one.
  [[nodiscard]] std::optional<std::size_t> place_of(PartyId party) const {
    const auto found = std::lower_bound(neighbours_.begin(), neighbours_.end(), party);
    if (found == neighbours_.end() || *found != party) return std::nullopt;
    return static_cast<std::size_t>(found - neighbours_.begin());
  }

  [[nodiscard]] Result<void> accept(PartyId from, Round round, T value) {
    const auto place = place_of(from);
    if (!place) return bad_peer(from, "is not a neighbour, and sent a round's values");
    if (round != round_ && round != round_ + 1) return bad_peer(from, "sent a round out of phase");
    auto& box = round == round_ ? current_ : next_;
    auto& slot = box[*place];
    if (slot) return bad_peer(from, "sent the same round twice");
    slot = std::move(value);
    if (round == round_) --missing_;
    return {};
  }

  // On to the next round. Precondition: complete().
  void advance() {
    check(complete(), "a round ends when every neighbour has been heard");
    ++round_;
    std::swap(current_, next_);
    missing_ = 0;
    for (auto& slot : next_) slot.reset();
    for (const auto& slot : current_) missing_ += slot ? 0 : 1;
  }

 private:
  std::vector<PartyId> neighbours_;
  std::vector<std::optional<T>> current_;
  std::vector<std::optional<T>> next_;
  std::size_t missing_;
  Round round_ = 0;
};

}  // namespace sotto
