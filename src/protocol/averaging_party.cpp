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
    // A neighbour that sealed first can be one round ahead, and no more.
    if (early_.size() >= weights_.graph().degree(self_)) {
      return bad_peer(message.from, "sent more than one round before the release");
    }
    early_.push_back(message);
    return std::vector<Message>{};
  }
  auto out = sealing_->receive(message);
  if (!out) return out;
  if (auto released = release_if_sealed(*out); !released) {
    return tl::unexpected(released.error());
  }
  return out;
}

Result<void> AveragingParty::release_if_sealed(std::vector<Message>& out) {
  if (!sealing_->done()) return {};
  consensus_ = make_consensus(plan_, self_, weights_, sealing_->release());
  auto first = consensus_->start();
  if (!first) return tl::unexpected(first.error());
  append(out, std::move(*first));
  for (const Message& message : std::exchange(early_, {})) {
    auto more = consensus_->receive(message);
    if (!more) return tl::unexpected(more.error());
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
