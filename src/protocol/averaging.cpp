// Seal, release, average: in this order, and nothing readable before the barrier.
#include "protocol/averaging.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace sotto {

AveragingParty::AveragingParty(PartyId self, Weights weights, ConsensusPlan plan,
                               std::unique_ptr<Sealing> sealing, Barrier barrier)
    : self_(self),
      weights_(std::move(weights)),
      plan_(plan),
      barrier_(barrier),
      sealing_(std::move(sealing)) {}

Result<std::vector<Message>> AveragingParty::start() {
  return release_if_free(sealing_->start());
}

Result<std::vector<Message>> AveragingParty::receive(const Message& message) {
  if (consensus_ != nullptr) return consensus_->receive(message);
  if (std::holds_alternative<RoundValues>(message.payload) ||
      std::holds_alternative<RoundReleases>(message.payload)) {
    SOTTO_TRY(early_.keep(self_, weights_.graph(), message, [this](const Message& first) {
      return protocol::inspect_first_round(plan_, weights_.graph(), sealing_->entries(), first);
    }));
    return std::vector<Message>{};
  }
  return release_if_free(sealing_->receive(message));
}

Result<std::vector<Message>> AveragingParty::release_if_free(Result<std::vector<Message>> out) {
  if (!out || barrier_ == Barrier::kHeld || !sealed()) return out;
  SOTTO_ASSIGN(auto first, release());
  std::ranges::move(first, std::back_inserter(*out));
  return out;
}

std::optional<Payload> AveragingParty::first_words() const {
  check(sealed() && consensus_ == nullptr, "first words are those of a release to come");
  const auto first = make_consensus(plan_, self_, weights_, sealing_->release())->start();
  if (!first || first->empty()) return std::nullopt;
  return first->front().payload;
}

Result<std::vector<Message>> AveragingParty::release() {
  check(sealed() && consensus_ == nullptr, "a sealed value is released once");
  consensus_ = make_consensus(plan_, self_, weights_, sealing_->release());
  return early_.start(*consensus_);
}

bool AveragingParty::done() const {
  return consensus_ != nullptr && consensus_->done();
}

Average AveragingParty::result() const {
  check(done(), "the average is known when the last round is over");
  return consensus_->average();
}

bool AveragingParty::agrees(std::span<const double> theirs, double scale) const {
  const std::vector<double> own = result().values;
  if (plan_.method == ConsensusMethod::kExact) return std::ranges::equal(own, theirs);
  // The rounds shrink a disagreement of at most √n·scale by τ; sums are n averages. A factor of
  // ten is for rounding: masks may be far larger than what is left of them.
  const auto n = static_cast<double>(weights_.graph().size());
  return all_within(10 * n * std::sqrt(n) * scale * plan_.tolerance, own, theirs);
}

}  // namespace sotto
