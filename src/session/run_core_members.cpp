// Who takes part: who is lost, who is waited for, and whether those who are left can go on.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/run_core.h"

namespace sotto::session {

// Before the release the others seal anew without a lost party, if there are enough of them and
// they hang together. What it costs is what they had shown each other.
void RunCore::exclude(const std::set<PartyId>& parties, const std::string& reason) {
  std::set<PartyId> all = excluded_;
  all.insert(parties.begin(), parties.end());
  if (over() || released_ || all == excluded_) return;
  excluded_ = std::move(all);
  why_excluded_ = reason;
  phase_ = Phase::kMeeting;
  if (attempt_) attempt_->suspended = true;
  // Until this party has said Ready nobody can have released, and it may stop at once.
  const bool said_ready = attempt_ && attempt_->ready;
  auto hopeless = cannot_go_on();
  if (hopeless && !said_ready) {
    end(std::move(*hopeless), wire::Stopped::LOST_PARTY);
    return;
  }
  notes_.push_back(hopeless ? hopeless->what
                            : fmt::format("going on without {}: {}", lost(), reason));
  if (excluded_.contains(terms_.self)) return;
  announced_[terms_.self] = excluded_;
  wire::Text text;
  for (const PartyId party : excluded_) text.mutable_without()->add_excluded(party);
  say(text);
}

std::string RunCore::lost() const {
  std::vector<std::string> names;
  for (const PartyId party : excluded_) names.push_back(name(party));
  return fmt::format("{}", fmt::join(names, ", "));
}

// The parties that are left and that this one, which is one of them, can reach through each other.
std::set<PartyId> RunCore::within_reach() const {
  const std::vector<PartyId> gone(excluded_.begin(), excluded_.end());
  const std::vector<PartyId> left = terms_.graph.all_but(gone);
  const auto parts = terms_.graph.restricted_to(left).components();
  const auto own = std::ranges::lower_bound(left, terms_.self) - left.begin();
  std::set<PartyId> reached;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (parts[k] == parts[static_cast<std::size_t>(own)]) reached.insert(left[k]);
  }
  return reached;
}

// Whether all of `parties` have given up exactly `these`. If they are all that are left then,
// none of them releases anything that was sealed with one of these: docs/proofs/session.md.
bool RunCore::announced_by(const std::set<PartyId>& parties, const std::set<PartyId>& these) const {
  return std::ranges::all_of(parties, [&](PartyId p) {
    const auto announced = announced_.find(p);
    return announced != announced_.end() && announced->second == these;
  });
}

// Whether nobody who is left can release, or has released, what this party is waiting for.
bool RunCore::given_up_by_all_left() const {
  if (!excluded_.contains(terms_.self)) return announced_by(within_reach(), excluded_);
  if (excluded_.size() == terms_.graph.size()) return true;
  // The others may go on without more or fewer than this party has lost.
  return std::ranges::any_of(announced_, [&](const auto& announced) {
    const std::set<PartyId>& these = announced.second;
    std::set<PartyId> left;
    for (PartyId p = 0; p < terms_.graph.size(); ++p) {
      if (!these.contains(p)) left.insert(p);
    }
    return these.contains(terms_.self) && announced_by(left, these);
  });
}

// Why no attempt without the excluded parties can be made, if so.
std::optional<Error> RunCore::cannot_go_on() const {
  if (excluded_.contains(terms_.self)) {
    return failed("E-excluded", "the others go on without this party: " + why_excluded_,
                  "see to its connections");
  }
  const std::size_t left = terms_.graph.size() - excluded_.size();
  if (left < terms_.min_parties) {
    return failed("E-parties-lost",
                  fmt::format("without {} there are {} parties, and the study wants at least {} "
                              "({})",
                              lost(), left, terms_.min_parties, why_excluded_),
                  "run again when they are back, or allow fewer with [network] min_parties");
  }
  if (within_reach().size() < left) {
    return failed("E-parties-lost",
                  fmt::format("without {} the graph falls apart ({})", lost(), why_excluded_),
                  "run again when they are back, or plan more edges");
  }
  return std::nullopt;
}

bool RunCore::needs(PartyId party) const {
  std::vector<PartyId> gone(excluded_.begin(), excluded_.end());
  gone.insert(std::ranges::upper_bound(gone, party), party);
  const std::vector<PartyId> left = terms_.graph.all_but(gone);
  if (left.size() < terms_.min_parties) return true;
  return std::ranges::any_of(terms_.graph.restricted_to(left).components(),
                             [](std::size_t part) { return part != 0; });
}

// Nobody can release an attempt while this party has not said Ready, so it can be given up here for
// another with the same parties: docs/proofs/session.md, Claim 12. What was shown stays shown.
bool RunCore::can_wait_for(PartyId party) const {
  if (over() || released_ || excluded_.contains(party)) return false;
  if (!attempt_) return true;
  if (attempt_->ready) return false;
  const bool shown = attempt_->reserved && attempt_->party->shown();
  return seen_attempts_ + (shown ? 1 : 0) < most_attempts();
}

std::size_t RunCore::most_attempts() const {
  return terms_.graph.size() - terms_.min_parties + 1;
}

void RunCore::wait_again() {
  if (!attempt_) return;
  close_unreleased({});
  past_attempts_.insert(attempt_->id);
  attempt_.reset();
  phase_ = Phase::kMeeting;
}

// A peer's bad word. Before the release it is as good as lost; after it, the run is over.
void RunCore::blame(PartyId party, Error error) {
  notes_.push_back(error.what);
  if (over() || excluded_.contains(party)) return;
  if (!released_ && party != terms_.self) {
    exclude({party}, error.what);
  } else {
    end(std::move(error), wire::Stopped::PEER_FAULT, party);
  }
}

}  // namespace sotto::session
