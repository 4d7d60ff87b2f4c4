#include "protocol/gradient_tracking.h"

#include <utility>

#include "protocol/consensus.h"

namespace sotto {

GradientTracking::GradientTracking(PartyId self, const Weights& weights, PerturbedCost cost,
                                   double step, Round rounds)
    : self_(self),
      dimension_(static_cast<std::size_t>(cost.h.size())),
      weights_(weights.of(self)),
      cost_(std::move(cost)),
      step_size_(step),
      rounds_(rounds),
      exchange_({weights.graph().neighbours(self).begin(), weights.graph().neighbours(self).end()}),
      state_(2 * dimension_, 0.0) {
  for (std::size_t k = 0; k < dimension_; ++k) {
    state_[dimension_ + k] = cost_.h[static_cast<Eigen::Index>(k)];
  }
}

Result<std::vector<Message>> GradientTracking::start() {
  if (done()) return std::vector<Message>{};
  return broadcast();
}

Result<std::vector<Message>> GradientTracking::receive(const Message& message) {
  const auto* values = std::get_if<RoundValues>(&message.payload);
  if (values == nullptr || values->values.size() != state_.size()) {
    return bad_peer(message.from, "sent no (x, s) of the right length in a tracking round");
  }
  if (values->round >= rounds_) return bad_peer(message.from, "sent a round after the last");
  if (!all_finite(values->values)) {
    return bad_peer(message.from, "sent a number that is not finite: it is wrong, or the step is");
  }
  auto accepted = exchange_.accept(message.from, values->round, values->values);
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

void GradientTracking::step() {
  // The order of every addition is the vectorised engine's too (simulate/engine.cpp).
  std::vector<double> next(state_.size());
  for (std::size_t entry = 0; entry < state_.size(); ++entry) {
    next[entry] =
        mix(state_[entry], weights_, [&](std::size_t k) { return exchange_.from(k)[entry]; });
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

std::vector<Message> GradientTracking::broadcast() const {
  const Payload payload = RoundValues{exchange_.round(), state_};
  std::vector<Message> out;
  for (const PartyId to : exchange_.neighbours()) out.emplace_back(self_, to, payload);
  return out;
}

}  // namespace sotto
