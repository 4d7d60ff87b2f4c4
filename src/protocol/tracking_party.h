#pragma once

#include <deque>

#include "protocol/gradient_tracking.h"

namespace sotto {

// One party of `gt` with the barrier that a network needs: nothing to do together before it,
// and what faster neighbours send is kept until all are ready.
class TrackingParty final : public StagedParty {
 public:
  TrackingParty(PartyId self, const Weights& weights, PerturbedCost cost, double step,
                Round rounds);

  [[nodiscard]] Result<std::vector<Message>> start() override { return std::vector<Message>{}; }
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override;
  [[nodiscard]] bool done() const override { return released_ && tracking_.done(); }

  [[nodiscard]] bool sealed() const override { return true; }
  [[nodiscard]] Result<std::vector<Message>> release() override;
  [[nodiscard]] std::vector<double> result() const override;
  [[nodiscard]] bool agrees(std::span<const double> theirs, double scale) const override;

 private:
  Graph graph_;
  PartyId self_;
  GradientTracking tracking_;
  bool released_ = false;
  std::deque<Message> early_;  // first rounds of neighbours that passed the barrier before us
};

}  // namespace sotto
