#pragma once

#include "protocol/consensus.h"
#include "protocol/rounds.h"
#include "protocol/sealing.h"

// The party of the three solvers that average what they release: `ac`, `dishuf`, `pairwise`.
namespace sotto {

// Whether a party releases as soon as it is sealed, or waits to be told that all are. In one
// process nobody gets lost, so the simulator needs no barrier.
enum class Barrier { kNone, kHeld };

class AveragingParty : public StagedParty {
 public:
  AveragingParty(PartyId self, Weights weights, ConsensusPlan plan,
                 std::unique_ptr<Sealing> sealing, Barrier barrier = Barrier::kNone);

  [[nodiscard]] Result<std::vector<Message>> start() override;
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override;
  [[nodiscard]] bool done() const override;

  [[nodiscard]] bool sealed() const override { return sealing_->done(); }
  [[nodiscard]] bool shown() const override { return consensus_ != nullptr || sealing_->shown(); }
  [[nodiscard]] std::optional<Payload> first_words() const override;
  [[nodiscard]] Result<std::vector<Message>> release() override;
  [[nodiscard]] Average result() const override;
  [[nodiscard]] bool agrees(std::span<const double> theirs, double scale) const override;

 private:
  // Without a barrier, what is sealed is released at once.
  [[nodiscard]] Result<std::vector<Message>> release_if_free(Result<std::vector<Message>> out);

  PartyId self_;
  Weights weights_;
  ConsensusPlan plan_;
  Barrier barrier_;
  std::unique_ptr<Sealing> sealing_;
  std::unique_ptr<Consensus> consensus_;  // none before the release
  protocol::EarlyRounds early_;
};

}  // namespace sotto
