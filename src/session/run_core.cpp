// What happens to a run, how it ends, and what can be asked of it.

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

void RunLedger::foresee(std::string_view attempt, std::string_view tag,
                        std::span<const ObserverCharge> charges) {
  if (!replaying) journal_.foresee(debit_.run, to_hex(attempt), tag, charges);
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
  if (idle != idle_words_.end() &&
      idle->second >= begun_anew() * most_idle_words(terms_.graph.size())) {
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
    if (is_another_start(statement)) return true;
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
  text.mutable_hello()->set_start(terms_.start);
  prepare();
  say(text);
  advance();
}

std::size_t RunCore::begun_anew() const {
  std::size_t begun = 1;
  for (const auto& [author, starts] : starts_) begun += starts.size() - 1;
  return begun;
}

bool RunCore::may_renew(PartyId neighbour, const std::string& nonce) const {
  const auto renewed = renewals_.find(neighbour);
  if (renewed != renewals_.end() && renewed->second >= kMostStarts) return false;
  const auto hello = hellos_.find(neighbour);
  if (hello != hellos_.end() && hello->second.nonce == nonce) return true;
  return !over() && !released_;
}

// What was sent of the attempt under way reached nobody, or an earlier start.
void RunCore::renew(PartyId neighbour, const std::string& nonce) {
  ++renewals_[neighbour];
  idle_words_.erase(neighbour);
  std::erase_if(outgoing_, [&](const auto& outgoing) { return outgoing.first == neighbour; });
  // Everybody's starts first: by them it knows how much each of us has had to say.
  for (const bool introductions : {true, false}) {
    for (const auto& [author, statements] : spoken_) {
      if (author == neighbour) continue;
      for (const wire::Statement& statement : statements) {
        if (is_hello(statement) != introductions) continue;
        wire::Body body;
        *body.mutable_statement() = statement;
        outgoing_.emplace_back(neighbour, body.SerializeAsString());
      }
    }
  }
  const auto hello = hellos_.find(neighbour);
  if (hello == hellos_.end() || hello->second.nonce != nonce) return;
  if (attempt_) {
    for (const std::string& body : attempt_->sent[neighbour])
      outgoing_.emplace_back(neighbour, body);
  }
  if (phase_ == Phase::kFinished) {
    wire::Body farewell;
    farewell.mutable_farewell();
    outgoing_.emplace_back(neighbour, farewell.SerializeAsString());
  }
  heard_from_itself(neighbour);
}

void RunCore::spoke(PartyId neighbour, const std::string& nonce) {
  const auto hello = hellos_.find(neighbour);
  if (hello != hellos_.end() && hello->second.nonce == nonce) heard_from_itself(neighbour);
}

// From now on its link keeps what it has not acknowledged.
void RunCore::heard_from_itself(PartyId neighbour) {
  spoken_to_.insert(neighbour);
  if (attempt_) attempt_->sent.erase(neighbour);
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

// Of what is said here nothing may depend on the body but what a person hears of it.
void RunCore::hear_idle(PartyId from, const wire::Body& body) {
  ++idle_words_[from];
  if (!body.has_statement() || !of_another_run(body.statement())) return;
  const wire::Statement& statement = body.statement();
  const PartyId author = statement.author();
  // Words of a start that is known are late, or repeated: nobody has to know. What somebody else
  // made up is not its word.
  if (starts_.at(author).contains(statement.nonce()) ||
      !signer_.verify(hellos_.at(author).certificate, statement_text(terms_.study_hash, statement),
                      statement.signature())) {
    return;
  }
  notes_.push_back(of_another_run_note(author));
}

std::string RunCore::of_another_run_note(PartyId author) const {
  return fmt::format(
      "{} speaks for another run: it has begun anew too late, or somebody repeats old words",
      name(author));
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

bool RunCore::present(PartyId party) const {
  const auto hello = hellos_.find(party);
  return hello != hellos_.end() && !hello->second.gone;
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

bool RunCore::is_under_way(const std::string& attempt) const {
  return attempt_ && attempt_->id == attempt;
}

std::string RunCore::shared_id() const {
  if (!attempt_) return {};
  return to_hex(Digest("sotto run").add(attempt_->id).value()).substr(0, 2 * kNonceBytes);
}

bool RunCore::all_present() const {
  for (PartyId p = 0; p < terms_.graph.size(); ++p) {
    if (!excluded_.contains(p) && !present(p)) return false;
  }
  return true;
}

std::string RunCore::why_gone(PartyId party) const {
  const auto why = why_gone_.find(party);
  return why == why_gone_.end() || present(party) ? std::string() : why->second;
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
        if (!present(p)) return false;
        const auto announced = announced_.find(p);
        const bool same_others =
            excluded_.empty() || (announced != announced_.end() && announced->second == excluded_);
        const auto met = met_.find(proposed_);
        return same_others && (!all_present() || (met != met_.end() && met->second.contains(p)));
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
      if (!missing.empty() || !attempt_->gave_evidence) break;
      for (const PartyId p : who_differs()) {
        if (!attempt_->evidence.contains(p)) missing.push_back(p);
      }
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
