#include "protocol/averaging_party.h"

#include <algorithm>
#include <cmath>
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
  if (belongs_to_averaging(message.payload)) {
    if (auto kept = keep_early(message); !kept) return tl::unexpected(kept.error());
    return std::vector<Message>{};
  }
  return release_if_free(sealing_->receive(message));
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

Result<std::vector<Message>> AveragingParty::release_if_free(Result<std::vector<Message>> out) {
  if (!out || barrier_ == Barrier::kHeld || !sealed()) return out;
  auto first = release();
  if (!first) return first;
  append(*out, std::move(*first));
  return out;
}

Result<std::vector<Message>> AveragingParty::release() {
  check(sealed() && consensus_ == nullptr, "a sealed value is released once");
  consensus_ = make_consensus(plan_, self_, weights_, sealing_->release());
  auto out = consensus_->start();
  if (!out) return out;
  for (const Message& message : std::exchange(early_, {})) {
    auto more = consensus_->receive(message);
    check(more.has_value(), "what came early was looked at when it came");
    append(*out, std::move(*more));
  }
  return out;
}

bool AveragingParty::done() const {
  return consensus_ != nullptr && consensus_->done();
}

std::vector<double> AveragingParty::result() const {
  check(done(), "the average is known when the last round is over");
  return consensus_->sum();
}

bool AveragingParty::agrees(std::span<const double> theirs, double scale) const {
  const std::vector<double> own = result();
  if (plan_.method == ConsensusMethod::kExact) return std::ranges::equal(own, theirs);
  if (theirs.size() != own.size()) return false;
  // The rounds shrink a disagreement of at most √n·scale by τ; sums are n averages. A factor of
  // ten is for rounding: masks may be far larger than what is left of them.
  const auto n = static_cast<double>(weights_.graph().size());
  const double allowed = 10 * n * std::sqrt(n) * scale * plan_.tolerance;
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!(std::abs(own[k] - theirs[k]) <= allowed)) return false;
  }
  return true;
}

}  // namespace sotto
