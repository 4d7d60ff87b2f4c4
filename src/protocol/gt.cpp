// `gt` as messages: the steps of one party, and the barrier that a network puts before them.
#include "protocol/gt.h"

#include "base/check.h"
#include "protocol/consensus.h"

namespace sotto {

GradientTracking::GradientTracking(PartyId self, const Weights& weights, PerturbedCost cost,
                                   double step, Round rounds)
    : dimension_(static_cast<std::size_t>(cost.h.size())),
      weights_(weights.of(self)),
      cost_(std::move(cost)),
      step_size_(step),
      exchange_(self, weights.graph(), rounds),
      state_(2 * dimension_, 0.0) {
  for (std::size_t k = 0; k < dimension_; ++k) {
    state_[dimension_ + k] = cost_.h[static_cast<Eigen::Index>(k)];
  }
}

Result<std::vector<Message>> GradientTracking::start() {
  if (done()) return std::vector<Message>{};
  return exchange_.broadcast(state());
}

std::optional<Payload> GradientTracking::first_words() const {
  if (done() || exchange_.neighbours().empty()) return std::nullopt;
  return state();
}

Result<void> GradientTracking::inspect(const Message& message, Round rounds) const {
  const auto* values = std::get_if<RoundValues>(&message.payload);
  if (values == nullptr || values->values.size() != state_.size()) {
    return bad_peer(message.from, "sent no (x, s) of the right length in a tracking round");
  }
  if (values->round >= rounds) return bad_peer(message.from, "sent a round after the last");
  if (!all_finite(values->values)) {
    return bad_peer(message.from, "sent a number that is not finite: it is wrong, or the step is");
  }
  return {};
}

Result<std::vector<Message>> GradientTracking::receive(const Message& message) {
  SOTTO_TRY(inspect(message, exchange_.rounds()));
  const auto& values = std::get<RoundValues>(message.payload);
  return exchange_.play(
      message.from, values.round, values.values, [this] { step(); }, [this] { return state(); });
}

void GradientTracking::step() {
  // The order of every addition is the vectorised engine's too (simulate/engine.cpp).
  std::vector<double> next(state_.size());
  for (std::size_t entry = 0; entry < state_.size(); ++entry) {
    next[entry] = protocol::mix(state_[entry], weights_,
                                [&](std::size_t k) { return exchange_.from(k)[entry]; });
  }
  for (std::size_t r = 0; r < dimension_; ++r) next[r] -= step_size_ * state_[dimension_ + r];
  for (std::size_t r = 0; r < dimension_; ++r) {
    double gradient = 0;
    for (std::size_t c = 0; c < dimension_; ++c) {
      gradient += cost_.g(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) *
                  (next[c] - state_[c]);
    }
    next[dimension_ + r] += gradient;
  }
  state_ = std::move(next);
}

TrackingParty::TrackingParty(PartyId self, const Weights& weights, PerturbedCost cost, double step,
                             Round rounds)
    : graph_(weights.graph()),
      self_(self),
      tracking_(self, weights, std::move(cost), step, rounds) {}

Result<std::vector<Message>> TrackingParty::receive(const Message& message) {
  if (released_) return tracking_.receive(message);
  SOTTO_TRY(early_.keep(self_, graph_, message,
                        [this](const Message& first) { return tracking_.inspect(first, 1); }));
  return std::vector<Message>{};
}

Result<std::vector<Message>> TrackingParty::release() {
  check(!released_, "a sealed value is released once");
  released_ = true;
  return early_.start(tracking_);
}

Average TrackingParty::result() const {
  check(done(), "x is known when the last round is over");
  return {{tracking_.x().begin(), tracking_.x().end()}};
}

bool TrackingParty::agrees(std::span<const double> theirs, double /*scale*/) const {
  // Two parties' x may differ by this much of the larger: tracking stops after a fixed number of
  // rounds, and what is left is an error like any other; what is far beyond is a lie.
  constexpr double kAgreement = 0.05;
  const auto own = tracking_.x();
  double largest = 0;
  for (const double x : own) largest = std::max(largest, std::abs(x));
  return all_within(kAgreement * largest, own, theirs);
}

}  // namespace sotto
