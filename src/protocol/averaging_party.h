#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "protocol/consensus.h"
#include "protocol/sealing.h"

namespace sotto {

// One party of `ac`, `dishuf` or `pairwise`: seal, release, average.
class AveragingParty final : public Party {
 public:
  AveragingParty(PartyId self, Weights weights, ConsensusPlan plan,
                 std::unique_ptr<Sealing> sealing);

  [[nodiscard]] Result<std::vector<Message>> start() override;
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override;
  [[nodiscard]] bool done() const override;

  // n·average: an estimate of Σ_i θ_i. Precondition: done().
  [[nodiscard]] std::vector<double> sum() const;

 private:
  // Refuses here what the averaging would refuse later, when the error could no longer be told
  // apart from the message that completed the sealing.
  [[nodiscard]] Result<void> keep_early(const Message& message);
  // Once sealed: releases, starts averaging, and takes up what came early.
  [[nodiscard]] Result<void> release_if_sealed(std::vector<Message>& out);

  PartyId self_;
  Weights weights_;
  ConsensusPlan plan_;
  std::unique_ptr<Sealing> sealing_;
  std::unique_ptr<Consensus> consensus_;  // none before the release
  std::deque<Message> early_;  // first-round messages of neighbours that sealed before us
};

}  // namespace sotto
