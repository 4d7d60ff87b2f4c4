// From meeting to result: what lets a run take its next step.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "session/run_core.h"

namespace sotto::session {
namespace {

// Of what went wrong here, and is nobody else's doing.
wire::Stopped::Why why_of(const Error& error) {
  switch (error.status) {
    case Status::kRefused:
      return wire::Stopped::PRIVACY_REFUSED;
    case Status::kBadInput:
      return wire::Stopped::BAD_INPUT;
    case Status::kFailed:
      break;
  }
  return wire::Stopped::INTERNAL;
}

// Under which a release of a neighbour's is booked.
std::string tag_of_release(PartyId neighbour) {
  return fmt::format("released-by-{}", neighbour + 1);
}

Error outcome_differs(const std::string& who) {
  return failed("E-outcome-differs", fmt::format("{} ended with another result", who),
                "the result was not kept; compare programs and logs with its operator");
}

}  // namespace

void RunCore::advance() {
  while (!over() && step_forward()) {
  }
}

bool RunCore::step_forward() {
  switch (phase_) {
    case Phase::kMeeting:
      return resume_attempt() || start_attempt();
    case Phase::kSealing:
      return seal();
    case Phase::kReady:
      return pass_barrier();
    case Phase::kReleasing:
      return conclude();
    case Phase::kComparing:
      return compare();
    case Phase::kFinished:
    case Phase::kStopped:
      return false;
  }
  return false;
}

// What is random in the first attempt, if everybody takes part in it, is drawn before anybody is
// heard or spoken to: how long that took shows in no message.
void RunCore::prepare() {
  std::vector<PartyId> everybody(terms_.graph.size());
  std::iota(everybody.begin(), everybody.end(), PartyId{0});
  prepared_ =
      factory_(everybody, {.draws = key_.for_first_draws(), .cipher = key_.for_first_cipher()});
}

// Everybody who is left has said hello, that they go on without the same others, and that they know
// each other in the same starts: whoever has only heard of an earlier start of somebody begins
// nothing with it.
bool RunCore::start_attempt() {
  if (!excluded_.empty()) {
    if (!given_up_by_all_left()) return false;
    if (auto hopeless = cannot_go_on()) {
      end(std::move(*hopeless), wire::Stopped::LOST_PARTY);
      return false;
    }
  }
  std::vector<PartyId> members;
  for (PartyId p = 0; p < terms_.graph.size(); ++p) {
    if (excluded_.contains(p)) continue;
    if (!present(p)) return false;
    members.push_back(p);
  }
  Digest digest("sotto attempt");
  digest.add(terms_.study_hash);
  // Who was told another key of somebody begins nothing with those who were told this one.
  for (const PartyId p : members) {
    digest.add(std::uint64_t{p}).add(hellos_.at(p).nonce).add(hellos_.at(p).certificate);
  }
  const std::string id = digest.value();
  if (proposed_ != id) {
    proposed_ = id;
    wire::Text text;
    text.mutable_met()->set_attempt(id);
    say(text);
  }
  const auto& agreed = met_[id];
  if (!std::ranges::all_of(members, [&](PartyId p) { return agreed.contains(p); })) return false;

  if (attempt_) {
    // All who are left have given the old one up; those who were lost may not have.
    std::vector<PartyId> lost_neighbours = neighbours_in_attempt();
    std::erase_if(lost_neighbours, [&](PartyId p) { return !excluded_.contains(p); });
    close_unreleased(lost_neighbours);
    past_attempts_.insert(attempt_->id);
  }
  if (seen_attempts_ >= most_attempts()) {
    attempt_.reset();
    end(refused("E-attempts",
                fmt::format("masked values were shown in {} attempts, and the study's plan counts "
                            "no more of them",
                            seen_attempts_),
                "let everybody start a new run"),
        wire::Stopped::PRIVACY_REFUSED);
    return false;
  }
  const bool first_one = !attempt_ && past_attempts_.empty();
  const bool with_all = first_one && members.size() == terms_.graph.size();
  auto made = with_all ? std::move(*prepared_)
                       : factory_(members, {.draws = key_.for_attempt(id),
                                            .cipher = first_one ? key_.for_first_cipher()
                                                                : key_.for_cipher(id)});
  prepared_.reset();
  if (!made) {
    attempt_.reset();
    end(made.error(), why_of(made.error()));
    return false;
  }
  Attempt attempt;
  attempt.id = id;
  attempt.members = std::move(members);
  attempt.party = std::move(made->party);
  attempt.if_neighbour_released = std::move(made->if_neighbour_released);
  attempt.limits = made->limits;
  attempt_ = std::move(attempt);
  step_allowance_ += attempt_->limits.steps;
  // Before anything is computed that will be sent: the first offer depends on data.
  if (auto reserved = ledger_.reserve(id, made->charges); !reserved) {
    end(reserved.error(), why_of(reserved.error()));
    return false;
  }
  attempt_->reserved = true;
  phase_ = Phase::kSealing;
  auto first = attempt_->party->start();
  if (!first) {
    end(first.error(), why_of(first.error()));
    return false;
  }
  send(std::move(*first));

  auto early = std::exchange(early_, {});
  for (const auto& [from, steps] : early) {
    for (const wire::Step& step : steps) {
      if (over() || attempt_->suspended) return true;
      wire::Body body;
      *body.mutable_step() = step;
      if (auto fine = inspect(from, body); !fine) {
        fine.error().what = fmt::format("{} sent {}", name(from), fine.error().what);
        blame(from, std::move(fine.error()));
      } else {
        hear_step(from, step);
      }
    }
  }
  return true;
}

// The attempt is over, and this party has not released it. If it said Ready, those who may have
// released have shown what they hold of it: docs/proofs/session.md, Claim 9.
void RunCore::close_unreleased(const std::vector<PartyId>& may_have_released) {
  Attempt& attempt = *attempt_;
  if (released_ || !std::exchange(attempt.reserved, false)) return;
  if (!attempt.party->shown()) {
    ledger_.restore(attempt.id);
    return;
  }
  ledger_.give_up(attempt.id);
  ++seen_attempts_;
  looks_booked_ += neighbours_in_attempt().size();
  if (!attempt.ready || attempt.if_neighbour_released.empty()) return;
  for (const PartyId neighbour : may_have_released) {
    ledger_.book(attempt.id, tag_of_release(neighbour), attempt.if_neighbour_released);
  }
}

// We said Without, but somebody who is still with us had passed the barrier before: then no
// attempt without the lost ones can start, for it would need that party's Without, and the old
// attempt is the one to finish.
bool RunCore::resume_attempt() {
  if (!attempt_ || !attempt_->suspended || !attempt_->ready) return false;
  const auto released = releasers_.find(attempt_->id);
  if (released == releasers_.end() || !all_ready()) return false;
  const bool by_one_of_us = std::ranges::any_of(
      released->second, [&](PartyId p) { return !excluded_.contains(p) && place_of(p); });
  if (!by_one_of_us) return false;
  std::erase_if(excluded_, [&](PartyId p) { return place_of(p).has_value(); });
  attempt_->suspended = false;
  phase_ = Phase::kReady;
  notes_.emplace_back("the barrier was passed before the loss: going on with all");
  return true;
}

bool RunCore::seal() {
  if (!attempt_->party->sealed()) return false;
  attempt_->ready = true;
  phase_ = Phase::kReady;
  // From here on any neighbour may release. If this process dies and its run is ended without it,
  // nobody else can say so: the ledger hears now what end() would book.
  if (attempt_->party->shown() && !attempt_->if_neighbour_released.empty()) {
    for (const PartyId neighbour : neighbours_in_attempt()) {
      ledger_.foresee(attempt_->id, tag_of_release(neighbour), attempt_->if_neighbour_released);
    }
  }
  const auto words = attempt_->party->first_words();
  wire::Text text;
  text.mutable_ready()->set_attempt(attempt_->id);
  text.mutable_ready()->set_commitment(
      commitment_to(words ? digest_of_first_words(*words) : std::string(), attempt_->id,
                    *place_of(terms_.self), key_.commitment_nonce(attempt_->id)));
  say(text);
  return true;
}

bool RunCore::pass_barrier() {
  if (!all_ready()) return false;
  ledger_.spend(attempt_->id);
  released_ = true;
  phase_ = Phase::kReleasing;
  wire::Text text;
  text.mutable_released()->set_attempt(attempt_->id);
  say(text);
  auto first = attempt_->party->release();
  if (!first) {
    end(first.error(), why_of(first.error()));
    return false;
  }
  send(std::move(*first));
  for (const auto& [from, payload] : std::exchange(attempt_->held, {})) {
    if (!over()) deliver(from, payload);
  }
  return true;
}

bool RunCore::conclude() {
  if (!attempt_->party->done()) return false;
  const std::vector<double> values = attempt_->party->result().values;
  phase_ = Phase::kComparing;
  wire::Text text;
  wire::Outcome& outcome = *text.mutable_outcome();
  outcome.set_attempt(attempt_->id);
  if (attempt_->sent_values) {
    outcome.mutable_values()->Add(values.begin(), values.end());
    outcome.set_scale(attempt_->scale);
    double heard = attempt_->scale;
    for (const auto& [neighbour, scale] : attempt_->heard_scale) heard = std::max(heard, scale);
    outcome.set_heard_scale(heard);
    outcome.set_sent(attempt_->sent_values->value());
  } else {
    outcome.set_digest(Digest("sotto result").add(std::span<const double>(values)).value());
    outcome.set_heard(heard_releases());
  }
  say(text);
  return true;
}

bool RunCore::compare() {
  const Outcomes& outcomes = outcomes_[attempt_->id];
  for (const PartyId p : attempt_->members) {
    if (!outcomes.contains(p)) return false;
  }
  if (attempt_->sent_values) {
    if (!compare_values()) return false;
  } else if (const auto others = who_differs(); !others.empty()) {
    give_evidence();
    for (const PartyId other : others) {
      const auto evidence = attempt_->evidence.find(other);
      if (evidence == attempt_->evidence.end()) continue;
      name_who_lied(other, evidence->second);
      break;
    }
    return false;
  }
  phase_ = Phase::kFinished;
  wire::Body farewell;
  farewell.mutable_farewell();
  for (const PartyId neighbour : terms_.graph.neighbours(terms_.self)) {
    if (place_of(neighbour)) outgoing_.emplace_back(neighbour, farewell.SerializeAsString());
  }
  return false;
}

// Where parties end close to each other. Members only: somebody who was given up may say what it
// likes. First whoever told its neighbours different values, for that is why results differ: one of
// its neighbours can tell, and the others cannot know whose fault it is.
bool RunCore::compare_values() {
  const Outcomes& outcomes = outcomes_[attempt_->id];
  // Two who began with little may be far apart for a while because a third began with much: but
  // with no more than each of its neighbours has heard.
  double scale = 0;
  for (const PartyId author : attempt_->members) {
    double began_with = outcomes.at(author).scale();
    for (const PartyId neighbour : terms_.graph.neighbours(author)) {
      if (!place_of(neighbour)) continue;
      began_with = std::min(began_with, outcomes.at(neighbour).heard_scale());
    }
    scale = std::max(scale, began_with);
  }
  for (const PartyId author : attempt_->members) {
    const wire::Outcome& outcome = outcomes.at(author);
    const auto chain = attempt_->heard_values.find(author);
    const bool as_heard =
        chain == attempt_->heard_values.end() || (chain->second.value() == outcome.sent() &&
                                                  attempt_->heard_scale[author] == outcome.scale());
    if (!as_heard) {
      end(failed(
              "E-equivocation",
              fmt::format("{} did not send the same values to all of its neighbours", name(author)),
              "its words cannot be relied on; run again without it"),
          wire::Stopped::PEER_FAULT, author);
      return false;
    }
  }
  for (const PartyId author : attempt_->members) {
    const wire::Outcome& outcome = outcomes.at(author);
    const std::vector<double> theirs(outcome.values().begin(), outcome.values().end());
    if (attempt_->party->agrees(theirs, scale)) continue;
    end(outcome_differs(name(author)), wire::Stopped::PEER_FAULT);
    return false;
  }
  return true;
}

std::vector<PartyId> RunCore::who_differs() const {
  std::vector<PartyId> others;
  const Outcomes& outcomes = outcomes_.at(attempt_->id);
  const wire::Outcome& own = outcomes.at(terms_.self);
  for (const PartyId author : attempt_->members) {
    const wire::Outcome& outcome = outcomes.at(author);
    const bool same = outcome.digest() == own.digest() && outcome.heard() == own.heard();
    if (!same) others.push_back(author);
  }
  return others;
}

// What everybody heard is flooded by nobody, as long as all have heard the same: this says so. Only
// where it is not so is it worth its bytes, which are as many as there are parties, squared.
void RunCore::give_evidence() {
  if (std::exchange(attempt_->gave_evidence, true)) return;
  wire::Text text;
  wire::Evidence& evidence = *text.mutable_evidence();
  evidence.set_attempt(attempt_->id);
  for (const auto& [author, signed_release] : attempt_->witnessed) {
    auto& witness = *evidence.add_witness();
    witness.set_author(author);
    witness.set_digest(signed_release.digest);
    witness.set_signature(signed_release.signature);
    witness.set_nonce(signed_release.nonce);
  }
  say(text);
}

// A member whose outcome is not ours shows what it has heard. Whoever signed two releases is to be
// seen in it; otherwise it is the witness whose words do not hold.
void RunCore::name_who_lied(PartyId witness, const wire::Evidence& evidence) {
  for (const wire::Witness& theirs : evidence.witness()) {
    const auto ours = attempt_->witnessed.find(theirs.author());
    if (ours == attempt_->witnessed.end() || ours->second.digest == theirs.digest()) continue;
    const PartyId suspect = attempt_->members[theirs.author()];
    const bool proven =
        signer_.verify(hellos_.at(suspect).certificate,
                       release_text(attempt_->id, theirs.author(), theirs.digest(), theirs.nonce()),
                       theirs.signature());
    // A witness that cannot prove it is lying itself.
    const PartyId liar = proven ? suspect : witness;
    end(failed("E-equivocation",
               proven ? fmt::format("{} signed two different releases", name(liar))
                      : fmt::format("{} claims a release that {} did not sign", name(liar),
                                    name(suspect)),
               "its words cannot be relied on; run again without it"),
        wire::Stopped::PEER_FAULT, liar);
    return;
  }
  end(outcome_differs(name(witness)), wire::Stopped::PEER_FAULT, witness);
}

std::string RunCore::heard_releases() const {
  std::vector<std::string> releases;
  for (const auto& [author, release] : attempt_->witnessed) releases.push_back(release.digest);
  return transcript_digest(attempt_->id, releases);
}

std::string RunCore::transcript_hash() const {
  check(phase_ == Phase::kFinished, "a run that came to a common result");
  if (!attempt_->sent_values) return to_hex(heard_releases());
  std::vector<std::string> sent;
  const Outcomes& outcomes = outcomes_.at(attempt_->id);
  for (const PartyId author : attempt_->members) sent.push_back(outcomes.at(author).sent());
  return sotto::transcript_hash(attempt_->id, sent);
}

}  // namespace sotto::session
