// Who takes part, who is lost, and how a run ends.

#include "session/run_core.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"

namespace sotto::session {

Result<void> RunLedger::reserve(const std::string& attempt,
                                const std::vector<ObserverCharge>& charges) {
  if (replaying) {
    if (refusal && refusal->attempt == attempt) return refusal->error;
    return {};
  }
  Debit debit = debit_;
  debit.attempt = to_hex(attempt);
  debit.charges = charges;
  auto reserved = journal_.reserve(debit);
  if (!reserved) refusal = {reserved.error(), attempt};
  return reserved;
}

void RunLedger::spend(std::string_view attempt) {
  if (!replaying) journal_.spend(debit_.run, to_hex(attempt));
}

void RunLedger::give_up(std::string_view attempt) {
  if (!replaying) journal_.give_up(debit_.run, to_hex(attempt));
}

void RunLedger::restore(std::string_view attempt) {
  if (!replaying) journal_.restore(debit_.run, to_hex(attempt));
}

void RunLedger::book(std::string_view attempt, std::string_view tag,
                     std::span<const ObserverCharge> charges) {
  if (!replaying) journal_.book(debit_.run, to_hex(attempt), tag, charges);
}

RunCore::RunCore(const SessionTerms& terms, const Signer& signer, PartyFactory factory,
                 const RunKey& key, RunLedger& ledger)
    : terms_(terms),
      signer_(signer),
      factory_(std::move(factory)),
      key_(key),
      ledger_(ledger),
      step_allowance_(most_early_steps(terms.graph.size()) * terms.limits.sealing) {}

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

bool RunCore::is_news(PartyId from, const wire::Body& body) const {
  if (body.has_farewell()) return !farewells_.contains(from);
  if (body.has_statement()) {
    const wire::Statement& statement = body.statement();
    return !seen_.contains(statement_text(terms_.study_hash, statement)) &&
           !of_another_run(statement) && !said_too_much(statement.author());
  }
  if (over() || past_attempts_.contains(body.step().attempt())) return false;
  const bool under_way = attempt_ && attempt_->id == body.step().attempt();
  return under_way ? place_of(from).has_value() : !excluded_.contains(from);
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
  if (body.has_step() && !over()) {
    step_bytes_[from] += body.step().ByteSizeLong();
    hear_step(from, body.step());
  }
  if (news_ == known) ++idle_words_[from];
  advance();
}

void RunCore::hear_idle(PartyId from, const wire::Body& body) {
  ++idle_words_[from];
  if (!body.has_statement() || !of_another_run(body.statement())) return;
  notes_.push_back(
      fmt::format("{} speaks for another run: it has begun anew, or somebody repeats old words",
                  name(body.statement().author())));
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
             "the others' releases may be read by now; a new run costs the budget again"),
      wire::Stopped::LOST_PARTY, party);
}

void RunCore::end(Error error, wire::Stopped::Why why, std::optional<PartyId> fault) {
  if (over()) return;
  // Any neighbour may go on with the attempt, and release.
  if (attempt_) close_unreleased(neighbours_in_attempt());
  phase_ = Phase::kStopped;
  wire::Text text;
  wire::Stopped& stopped = *text.mutable_stopped();
  stopped.set_why(why);
  if (fault) stopped.set_party(*fault + 1);
  if (why == wire::Stopped::PEER_FAULT) stopped.set_error(error.name);
  say(text);
  error_ = std::move(error);
}

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
  const auto stopped = [&](std::string error_name, std::string what, const std::string& fix) {
    return failed(std::move(error_name), std::move(what), what_left() + "; " + fix);
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
    end(std::move(error), wire::Stopped::PEER_FAULT, party);
  }
}

std::string RunCore::what_left() const {
  if (released_) return "this party's noisy value was released once, and is spent";
  const bool showing = attempt_ && attempt_->reserved && attempt_->party->shown();
  const std::size_t looks = looks_booked_ + (showing ? neighbours_in_attempt().size() : 0);
  if (looks == 0) return "nothing that depends on data has left this party, and nothing was spent";
  return fmt::format(
      "nothing readable has left this party; masked values were shown to neighbours, and {} {} in "
      "the ledger",
      looks, looks == 1 ? "look is booked" : "looks are booked");
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

bool RunCore::all_ready() const {
  const auto ready = readies_.find(attempt_->id);
  return ready != readies_.end() && std::ranges::all_of(attempt_->members, [&](PartyId p) {
           return ready->second.contains(p);
         });
}

std::vector<PartyId> RunCore::neighbours_in_attempt() const {
  std::vector<PartyId> members;
  for (const PartyId neighbour : terms_.graph.neighbours(terms_.self)) {
    if (place_of(neighbour)) members.push_back(neighbour);
  }
  return members;
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
