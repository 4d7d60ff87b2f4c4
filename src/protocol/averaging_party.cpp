#include "protocol/averaging_party.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sotto {
namespace {

bool belongs_to_averaging(const Payload& payload) {
  return std::holds_alternative<RoundValues>(payload) ||
         std::holds_alternative<RoundReleases>(payload);
}

void append(std::vector<Message>& out, std::vector<Message> more) {
  std::ranges::move(more, std::back_inserter(out));
}

}  // namespace

AveragingParty::AveragingParty(PartyId self, Weights weights, ConsensusPlan plan,
                               std::unique_ptr<Sealing> sealing)
    : self_(self), weights_(std::move(weights)), plan_(plan), sealing_(std::move(sealing)) {}

Result<std::vector<Message>> AveragingParty::start() {
  auto out = sealing_->start();
  if (!out) return out;
  if (auto released = release_if_sealed(*out); !released) {
    return tl::unexpected(released.error());
  }
  return out;
}

Result<std::vector<Message>> AveragingParty::receive(const Message& message) {
  if (consensus_ != nullptr) return consensus_->receive(message);
  if (belongs_to_averaging(message.payload)) {
    if (auto kept = keep_early(message); !kept) return tl::unexpected(kept.error());
    return std::vector<Message>{};
  }
  auto out = sealing_->receive(message);
  if (!out) return out;
  if (auto released = release_if_sealed(*out); !released) {
    return tl::unexpected(released.error());
  }
  return out;
}

Result<void> AveragingParty::keep_early(const Message& message) {
  if (!std::ranges::binary_search(weights_.graph().neighbours(self_), message.from)) {
    return bad_peer(message.from, "is not a neighbour, and sent a round's values");
  }
  // A neighbour that sealed first can be one round ahead, and no more.
  if (std::ranges::find(early_, message.from, &Message::from) != early_.end()) {
    return bad_peer(message.from, "sent more than one round before the release");
  }
  auto fine = inspect_first_round(plan_, weights_.graph(), sealing_->entries(), message);
  if (!fine) return fine;
  early_.push_back(message);
  return {};
}

Result<void> AveragingParty::release_if_sealed(std::vector<Message>& out) {
  if (!sealing_->done()) return {};
  consensus_ = make_consensus(plan_, self_, weights_, sealing_->release());
  auto first = consensus_->start();
  if (!first) return tl::unexpected(first.error());
  append(out, std::move(*first));
  for (const Message& message : std::exchange(early_, {})) {
    auto more = consensus_->receive(message);
    check(more.has_value(), "what came early was looked at when it came");
    append(out, std::move(*more));
  }
  return {};
}

bool AveragingParty::done() const {
  return consensus_ != nullptr && consensus_->done();
}

std::vector<double> AveragingParty::sum() const {
  check(done(), "the average is known when the last round is over");
  return consensus_->sum();
}

}  // namespace sotto
