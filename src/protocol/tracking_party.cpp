#include "protocol/tracking_party.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace sotto {

namespace {

// Two parties' x may differ by this much of the larger: tracking stops after a fixed number of
// rounds, and what is left is an error like any other; what is far beyond is a lie.
constexpr double kAgreement = 0.05;

}  // namespace

TrackingParty::TrackingParty(PartyId self, const Weights& weights, PerturbedCost cost, double step,
                             Round rounds)
    : graph_(weights.graph()),
      self_(self),
      tracking_(self, weights, std::move(cost), step, rounds) {}

Result<std::vector<Message>> TrackingParty::receive(const Message& message) {
  if (released_) return tracking_.receive(message);
  if (!std::ranges::binary_search(graph_.neighbours(self_), message.from)) {
    return bad_peer(message.from, "is not a neighbour, and sent a round's values");
  }
  if (std::ranges::find(early_, message.from, &Message::from) != early_.end()) {
    return bad_peer(message.from, "sent more than one round before the release");
  }
  early_.push_back(message);
  return std::vector<Message>{};
}

Result<std::vector<Message>> TrackingParty::release() {
  check(!released_, "a sealed value is released once");
  released_ = true;
  auto out = tracking_.start();
  if (!out) return out;
  for (const Message& message : std::exchange(early_, {})) {
    auto more = tracking_.receive(message);
    if (!more) return more;
    std::ranges::move(*more, std::back_inserter(*out));
  }
  return out;
}

std::vector<double> TrackingParty::result() const {
  check(done(), "x is known when the last round is over");
  return {tracking_.x().begin(), tracking_.x().end()};
}

bool TrackingParty::agrees(std::span<const double> theirs, double /*scale*/) const {
  const auto own = tracking_.x();
  if (theirs.size() != own.size()) return false;
  double largest = 0;
  for (const double x : own) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!(std::abs(own[k] - theirs[k]) <= kAgreement * largest)) return false;
  }
  return true;
}

}  // namespace sotto
