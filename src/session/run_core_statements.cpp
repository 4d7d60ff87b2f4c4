// What a run says to all, and hears from all.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "session/run_core.h"

namespace sotto::session {
namespace {

Error refused_statement(std::string what) {
  return failed("E-statement", std::move(what), "it was refused, and nothing has changed");
}

// E- and small letters: what may be repeated to a person.
bool is_error_name(const std::string& text) {
  return text.starts_with('E') && text.size() <= kMaxErrorNameBytes &&
         text.find_first_not_of("-abcdefghijklmnopqrstuvwxyz0123456789", 1) == std::string::npos;
}

}  // namespace

Result<void> RunCore::inspect_statement(const wire::Statement& statement) const {
  if (statement.author() >= terms_.graph.size()) return refused_statement("a statement of nobody");
  const std::string& author = name(statement.author());
  if (statement.nonce().size() != kNonceBytes) return refused_statement("a malformed statement");
  const std::size_t longest =
      std::max({most_hello_bytes(), terms_.limits.outcome, terms_.limits.evidence,
                most_word_bytes(terms_.graph.size())});
  if (statement.text().size() > longest) {
    return refused_statement(fmt::format("a statement of {} that is longer than any", author));
  }
  const std::string signed_text = statement_text(terms_.study_hash, statement);
  if (seen_.contains(signed_text)) return {};  // checked when it came first
  const auto text = parse<wire::Text>(statement.text());
  if (!text) return refused_statement(fmt::format("a malformed statement of {}", author));
  SOTTO_TRY(inspect_text(author, *text, statement.text().size()));
  std::set<std::string> certificates;
  if (text->has_hello()) {
    const std::string& certificate = text->hello().certificate();
    if (certificate.size() > kMaxCertificateBytes ||
        !signer_.pinned(statement.author(), certificate)) {
      return refused_statement(
          fmt::format("a certificate for {} that the study does not name", author));
    }
    certificates.insert(certificate);
  } else {
    const auto known = hellos_.find(statement.author());
    if (known == hellos_.end()) {
      return refused_statement(
          fmt::format("a statement of {}, who has not said who it is", author));
    }
    // Words of another start change nothing: whoever passes them on may know a key that we do not.
    if (of_another_run(statement)) return {};
    certificates = starts_.at(statement.author()).at(statement.nonce());
  }
  if (statement.signature().size() > kMaxSignatureBytes ||
      std::ranges::none_of(certificates, [&](const std::string& certificate) {
        return signer_.verify(certificate, signed_text, statement.signature());
      })) {
    return refused_statement(fmt::format("a statement that {} did not sign", author));
  }
  return {};
}

// Form and length, before anybody looks at who signed it.
Result<void> RunCore::inspect_text(const std::string& author, const wire::Text& text,
                                   std::size_t bytes) const {
  const std::size_t parties = terms_.graph.size();
  const auto is_attempt = [](const std::string& id) { return id.size() == kDigestBytes; };
  std::size_t longest = most_word_bytes(parties);
  bool well_formed = true;
  switch (text.kind_case()) {
    case wire::Text::kHello:
      longest = most_hello_bytes();
      break;
    case wire::Text::kOutcome:
      longest = terms_.limits.outcome;
      well_formed = is_attempt(text.outcome().attempt()) && std::isfinite(text.outcome().scale()) &&
                    std::isfinite(text.outcome().heard_scale());
      break;
    case wire::Text::kEvidence:
      longest = terms_.limits.evidence;
      well_formed = is_attempt(text.evidence().attempt());
      break;
    case wire::Text::kReady:
      well_formed =
          is_attempt(text.ready().attempt()) && text.ready().commitment().size() == kDigestBytes;
      break;
    case wire::Text::kReleased:
      well_formed = is_attempt(text.released().attempt());
      break;
    case wire::Text::kMet:
      well_formed = is_attempt(text.met().attempt());
      break;
    case wire::Text::kStopped:
      well_formed = text.stopped().party() <= parties &&
                    (text.stopped().error().empty() || is_error_name(text.stopped().error()));
      break;
    case wire::Text::kWithout:
    case wire::Text::KIND_NOT_SET:
      break;
  }
  if (bytes > longest) {
    return refused_statement(fmt::format("a statement of {} that is longer than any", author));
  }
  if (!well_formed) return refused_statement(fmt::format("a malformed statement of {}", author));
  return {};
}

bool RunCore::of_another_run(const wire::Statement& statement) const {
  const auto known = hellos_.find(statement.author());
  return known != hellos_.end() && known->second.nonce != statement.nonce();
}

// A start that nobody has told us of, and that counts: also one that is not taken up here, for
// others may have taken it up, and have had more to say for it.
bool RunCore::is_another_start(const wire::Statement& statement) const {
  const PartyId author = statement.author();
  if (author == terms_.self || !of_another_run(statement)) return false;
  const auto text = parse<wire::Text>(statement.text());
  if (!text || !text->has_hello()) return false;
  const auto& known = starts_.at(author);
  return !known.contains(statement.nonce()) && known.size() <= kMostStarts;
}

// A party that begins anew before anything was released is taken up.
bool RunCore::is_later_start(const wire::Statement& statement) const {
  const PartyId author = statement.author();
  if (!is_another_start(statement) || over() || released_ || excluded_.contains(author)) {
    return false;
  }
  return parse<wire::Text>(statement.text())->hello().start() > hellos_.at(author).start;
}

// The statement that was too much is heard, and its author blamed; no other is.
bool RunCore::said_too_much(PartyId author) const {
  const auto said = said_.find(author);
  if (said == said_.end()) return false;
  // Whoever hears that somebody begins anew has more to say; what it heard it told us before.
  const std::size_t parties = terms_.graph.size();
  const std::size_t more = begun_anew();
  return said->second.statements > more * most_statements(parties) ||
         said->second.bytes > more * most_statement_bytes(parties, terms_.limits);
}

void RunCore::say(const wire::Text& text) {
  wire::Statement statement;
  statement.set_author(terms_.self);
  statement.set_nonce(key_.nonce());
  statement.set_text(text.SerializeAsString());
  statement.set_signature(signer_.sign(statement_text(terms_.study_hash, statement)));
  seen_.insert(statement_text(terms_.study_hash, statement));
  spoken_[terms_.self].push_back(statement);
  flood(statement, std::nullopt);
  hear_text(terms_.self, text);
}

void RunCore::flood(const wire::Statement& statement, std::optional<PartyId> except) {
  wire::Body body;
  *body.mutable_statement() = statement;
  const std::string bytes = body.SerializeAsString();
  for (const PartyId neighbour : terms_.graph.neighbours(terms_.self)) {
    if (neighbour != except) outgoing_.emplace_back(neighbour, bytes);
  }
}

void RunCore::hear_statement(PartyId from, const wire::Statement& statement) {
  const PartyId author = statement.author();
  const auto text = parse<wire::Text>(statement.text());
  if (!text) return;  // inspect() lets none pass
  const bool another = is_another_start(statement);
  const bool later = is_later_start(statement);
  if (text->has_hello()) starts_[author][statement.nonce()].insert(text->hello().certificate());
  if (later) {
    // What it said in its earlier start does not count any more; that there was one does.
    step_allowance_ += 2 * terms_.limits.sealing;
    std::erase_if(spoken_[author], [](const wire::Statement& said) { return !is_hello(said); });
    announced_.erase(author);
  }
  seen_.insert(statement_text(terms_.study_hash, statement));
  ++said_[author].statements;
  said_[author].bytes += statement.text().size();
  if (said_too_much(author)) {
    blame(author,
          failed("E-statement", fmt::format("{} says more than anybody has to say", name(author)),
                 "ask its operator to check the program"));
    return;
  }
  ++news_;
  spoken_[author].push_back(statement);
  flood(statement, from);
  if (another && !later) {
    if (text->hello().start() > hellos_.at(author).start) {
      notes_.push_back(of_another_run_note(author));
    }
  } else if (text->has_hello()) {
    hear_hello(statement, text->hello());
  } else if (!over()) {
    hear_text(author, *text);
  }
}

void RunCore::hear_hello(const wire::Statement& statement, const wire::Hello& hello) {
  const PartyId author = statement.author();
  const auto known = hellos_.find(author);
  const bool anew = known != hellos_.end() && known->second.nonce != statement.nonce();
  if (known != hellos_.end() && !anew) {
    blame(author, failed("E-equivocation",
                         fmt::format("{} introduced itself in one start in two ways", name(author)),
                         "its words cannot be relied on; run again without it"));
    return;
  }
  if (anew && !can_wait_for(author)) {
    lose(author, "it began anew when the others had sealed with it");
    return;
  }
  ++moves_;
  hellos_[author] = {hello.certificate(), statement.nonce(), hello.start()};
  spoken_to_.erase(author);
  if (!anew) return;
  notes_.push_back(fmt::format("{} has begun anew", name(author)));
  wait_again();
}

void RunCore::hear_text(PartyId author, const wire::Text& text) {
  switch (text.kind_case()) {
    case wire::Text::kHello:  // our own
      hellos_.try_emplace(author,
                          Hello{text.hello().certificate(), key_.nonce(), text.hello().start()});
      starts_[author][key_.nonce()].insert(text.hello().certificate());
      break;
    case wire::Text::kWithout:
      hear_without(author, {text.without().excluded().begin(), text.without().excluded().end()});
      break;
    case wire::Text::kMet:
      if (met_[text.met().attempt()].insert(author).second && text.met().attempt() == proposed_) {
        ++moves_;
      }
      break;
    case wire::Text::kReady:
      hear_ready(author, text.ready());
      break;
    case wire::Text::kReleased:
      if (releasers_[text.released().attempt()].insert(author).second &&
          is_under_way(text.released().attempt())) {
        ++moves_;
      }
      break;
    case wire::Text::kOutcome:
      hear_outcome(author, text.outcome());
      break;
    case wire::Text::kEvidence:
      if (is_under_way(text.evidence().attempt()) && place_of(author) &&
          attempt_->evidence.try_emplace(author, text.evidence()).second) {
        ++moves_;
      }
      break;
    case wire::Text::kStopped:
      if (author != terms_.self && !excluded_.contains(author)) {
        hear_stopped(author, "it stopped: " + reason_of(text.stopped()));
      }
      break;
    case wire::Text::KIND_NOT_SET:
      break;
  }
}

// Whoever stops before anything was released may correct what was wrong, and come back: it is
// waited for where nothing can be done without it, or nothing has begun.
void RunCore::hear_stopped(PartyId author, const std::string& reason) {
  const bool nothing_begun = !attempt_ && past_attempts_.empty() && excluded_.empty();
  if (!can_wait_for(author) || !(nothing_begun || needs(author))) {
    lose(author, reason);
    return;
  }
  if (!std::exchange(hellos_.at(author).gone, true)) ++moves_;
  why_gone_[author] = reason;
  notes_.push_back(fmt::format("{} may come back: {}", name(author), reason));
  wait_again();
}

std::string RunCore::reason_of(const wire::Stopped& stopped) const {
  const std::string who =
      stopped.party() == 0 ? std::string("somebody") : name(stopped.party() - 1);
  switch (stopped.why()) {
    case wire::Stopped::GAVE_UP:
      return "its operator gave the run up";
    case wire::Stopped::PRIVACY_REFUSED:
      return "going on would cost more privacy than it allows";
    case wire::Stopped::BAD_INPUT:
      return "its study or its data cannot be used";
    case wire::Stopped::PEER_FAULT:
      return stopped.error().empty() ? fmt::format("it blames {}", who)
                                     : fmt::format("it blames {} ({})", who, stopped.error());
    case wire::Stopped::LOST_PARTY:
      return fmt::format("it lost {}", who);
    default:
      return "something failed there";
  }
}

// Whom a party has lost only grows: an older set may arrive later, by another way. Of two of which
// neither holds the other, each was meant for somebody else.
void RunCore::hear_without(PartyId author, const std::set<PartyId>& excluded) {
  if (excluded.empty() || *excluded.rbegin() >= terms_.graph.size()) return;
  auto& announced = announced_[author];
  if (std::ranges::includes(announced, excluded)) return;
  if (!std::ranges::includes(excluded, announced)) {
    blame(author,
          failed("E-equivocation",
                 fmt::format("{} told different parties that it lost different ones", name(author)),
                 "its words cannot be relied on; run again without it"));
    return;
  }
  announced = excluded;
  ++moves_;
  if (author != terms_.self && !excluded_.contains(author)) {
    exclude(excluded, fmt::format("{} has lost them", name(author)));
  }
}

void RunCore::hear_ready(PartyId author, const wire::Ready& ready) {
  const auto [known, fresh] = readies_[ready.attempt()].try_emplace(author, ready.commitment());
  if (fresh && is_under_way(ready.attempt())) ++moves_;
  if (fresh || known->second == ready.commitment()) return;
  blame(author, failed("E-equivocation",
                       fmt::format("{} committed itself to two different releases", name(author)),
                       "its words cannot be relied on; run again without it"));
}

void RunCore::hear_outcome(PartyId author, const wire::Outcome& outcome) {
  auto& outcomes = outcomes_[outcome.attempt()];
  const auto [known, fresh] = outcomes.emplace(author, outcome);
  if (fresh && is_under_way(outcome.attempt())) ++moves_;
  if (fresh || author == terms_.self || excluded_.contains(author)) return;
  if (known->second.SerializeAsString() == outcome.SerializeAsString()) return;
  blame(author,
        failed("E-equivocation", fmt::format("{} signed two different outcomes", name(author)),
               "its words cannot be relied on; run again without it"));
}

}  // namespace sotto::session
