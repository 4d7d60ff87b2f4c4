// Who takes part, who is lost, and how a run ends.

#include "session/run_core.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"

namespace sotto::session {
namespace {

// More words without news than any honest neighbour has: each statement once, and for each
// attempt what was under way when it ended.
std::size_t most_idle_words(std::size_t parties) {
  return 16 + parties * (16 + 4 * parties);
}

}  // namespace

Result<void> RunLedger::reserve(std::string_view attempt) {
  if (replaying) {
    if (refusal) return *refusal;
    return {};
  }
  Debit debit = debit_;
  debit.attempt = to_hex(attempt);
  auto reserved = journal_.reserve(debit);
  if (!reserved) refusal = reserved.error();
  return reserved;
}

void RunLedger::spend(std::string_view attempt) {
  if (!replaying) journal_.spend(debit_.run, to_hex(attempt));
}

void RunLedger::restore(std::string_view attempt) {
  if (!replaying) journal_.restore(debit_.run, to_hex(attempt));
}

RunCore::RunCore(const SessionTerms& terms, const Signer& signer, PartyFactory factory,
                 const RunKey& key, RunLedger& ledger)
    : terms_(terms), signer_(signer), factory_(std::move(factory)), key_(key), ledger_(ledger) {}

Result<void> RunCore::inspect(PartyId from, const wire::Body& body) const {
  const auto idle = idle_words_.find(from);
  if (idle != idle_words_.end() && idle->second >= most_idle_words(terms_.graph.size())) {
    return failed("E-idle", "far more messages than anybody needs", "it was refused");
  }
  switch (body.kind_case()) {
    case wire::Body::kStatement:
      return inspect_statement(body.statement());
    case wire::Body::kStep:
      return inspect_step(from, body.step());
    case wire::Body::kFarewell:
      return {};
    case wire::Body::KIND_NOT_SET:
      break;
  }
  return failed("E-frame", "a message of no known kind", "it was refused");
}

void RunCore::begin() {
  wire::Text text;
  text.mutable_hello()->set_certificate(signer_.certificate());
  say(text);
  advance();
}

void RunCore::hear(PartyId from, const wire::Body& body) {
  const std::uint64_t known = news_;
  if (body.has_farewell() && farewells_.insert(from).second) ++news_;
  // Even when the run is over: neighbours may still need what passes through us.
  if (body.has_statement()) hear_statement(from, body.statement());
  if (body.has_step() && !over()) hear_step(from, body.step());
  if (news_ == known) ++idle_words_[from];
  advance();
}

void RunCore::lose(PartyId party, const std::string& reason) {
  if (over() || excluded_.contains(party)) return;
  notes_.push_back(fmt::format("{} is lost: {}", name(party), reason));
  if (!released_) {
    exclude({party}, reason);
    advance();
    return;
  }
  end(failed("E-lost", fmt::format("{} was lost after the barrier: {}", name(party), reason),
             "the others' releases may be read by now; a new run costs the budget again"));
}

void RunCore::end(Error error) {
  if (over()) return;
  if (attempt_ && attempt_->reserved && !released_) {
    ledger_.restore(attempt_->id);
    attempt_->reserved = false;
  }
  phase_ = Phase::kStopped;
  wire::Text text;
  text.mutable_stopped()->set_reason(error.what);
  say(text);
  error_ = std::move(error);
}

// Before the release a lost party costs nothing: the others seal anew without it, if there are
// enough of them and they hang together.
void RunCore::exclude(const std::set<PartyId>& parties, const std::string& reason) {
  std::set<PartyId> all = excluded_;
  all.insert(parties.begin(), parties.end());
  if (over() || released_ || all == excluded_) return;
  excluded_ = std::move(all);
  why_excluded_ = reason;
  phase_ = Phase::kMeeting;
  if (attempt_) attempt_->suspended = true;
  // Until this party has said Ready nobody can have released, and it may stop at once.
  const bool said_ready = attempt_ && attempt_->reserved;
  auto hopeless = cannot_go_on();
  if (hopeless && !said_ready) {
    end(std::move(*hopeless));
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
  const auto stopped = [](std::string error_name, std::string what, std::string fix) {
    return failed(std::move(error_name), std::move(what),
                  "nothing has left and nothing was spent; " + std::move(fix));
  };
  if (excluded_.contains(terms_.self)) {
    return stopped("E-excluded", "the others go on without this party: " + why_excluded_,
                   "see to its connections");
  }
  const std::size_t left = terms_.graph.size() - excluded_.size();
  if (left < terms_.min_parties) {
    return stopped("E-parties-lost",
                   fmt::format("without {} there are {} parties, and the study wants at least {} "
                               "({})",
                               lost(), left, terms_.min_parties, why_excluded_),
                   "run again when they are back, or allow fewer with [network] min_parties");
  }
  if (within_reach().size() < left) {
    return stopped("E-parties-lost",
                   fmt::format("without {} the graph falls apart ({})", lost(), why_excluded_),
                   "run again when they are back, or plan more edges");
  }
  return std::nullopt;
}

// A peer's bad word. Before the release it is as good as lost; after it, the run is over.
void RunCore::blame(PartyId party, Error error) {
  notes_.push_back(error.what);
  if (over() || excluded_.contains(party)) return;
  if (!released_ && party != terms_.self) {
    exclude({party}, error.what);
  } else {
    end(std::move(error));
  }
}

std::vector<std::pair<PartyId, std::string>> RunCore::take_outgoing() {
  return std::exchange(outgoing_, {});
}

std::vector<std::string> RunCore::take_notes() {
  return std::exchange(notes_, {});
}

std::vector<PartyId> RunCore::members() const {
  return attempt_ && !attempt_->suspended ? attempt_->members : std::vector<PartyId>{};
}

std::optional<PartyId> RunCore::place_of(PartyId party) const {
  const auto found = std::ranges::lower_bound(attempt_->members, party);
  if (found == attempt_->members.end() || *found != party) return std::nullopt;
  return static_cast<PartyId>(found - attempt_->members.begin());
}

bool RunCore::all_members(const std::set<PartyId>& said) const {
  return std::ranges::all_of(attempt_->members, [&](PartyId p) { return said.contains(p); });
}

std::vector<PartyId> RunCore::waiting_for() const {
  std::vector<PartyId> missing;
  const auto add_unless = [&](auto&& said) {
    for (PartyId p = 0; p < terms_.graph.size(); ++p) {
      if (!excluded_.contains(p) && !said(p)) missing.push_back(p);
    }
  };
  const auto said_in = [&](const auto& by_attempt, PartyId p) {
    const auto found = by_attempt.find(attempt_->id);
    return found != by_attempt.end() && found->second.contains(p);
  };
  switch (phase_) {
    case Phase::kMeeting:
      add_unless([&](PartyId p) {
        if (!hellos_.contains(p)) return false;
        const auto announced = announced_.find(p);
        return excluded_.empty() ||
               (announced != announced_.end() && announced->second == excluded_);
      });
      break;
    case Phase::kSealing:
    case Phase::kReleasing:
      for (const PartyId p : terms_.graph.neighbours(terms_.self)) {
        if (!excluded_.contains(p)) missing.push_back(p);
      }
      break;
    case Phase::kReady:
      add_unless([&](PartyId p) { return said_in(readies_, p); });
      break;
    case Phase::kComparing:
      add_unless([&](PartyId p) { return said_in(outcomes_, p); });
      break;
    case Phase::kFinished:
    case Phase::kStopped:
      break;
  }
  return missing;
}

std::vector<double> RunCore::result() const {
  check(phase_ == Phase::kComparing || phase_ == Phase::kFinished, "a run that came to a result");
  return attempt_->party->result().values;
}

}  // namespace sotto::session
