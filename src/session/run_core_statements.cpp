// What a run says to all, and hears from all.

#include <fmt/format.h>

#include <algorithm>

#include "session/run_core.h"

namespace sotto::session {
namespace {

Error refused_statement(std::string what) {
  return failed("E-statement", std::move(what), "it was refused, and nothing has changed");
}

// More statements than any honest author makes: a set per loss, and a few for each.
std::size_t most_statements(std::size_t parties) {
  return 8 + 4 * parties;
}

// The beginning of a text, cut between two characters: half of one would make the next
// statement unreadable.
std::string beginning_of(const std::string& text) {
  constexpr std::size_t kMost = 500;
  if (text.size() <= kMost) return text;
  std::size_t size = kMost;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

}  // namespace

Result<void> RunCore::inspect_statement(const wire::Statement& statement) const {
  if (statement.author() >= terms_.graph.size()) return refused_statement("a statement of nobody");
  const std::string& author = name(statement.author());
  if (statement.nonce().size() != kNonceBytes) return refused_statement("a malformed statement");
  const std::string signed_text = statement_text(terms_.study_hash, statement);
  if (seen_.contains(signed_text)) return {};  // checked when it came first
  const auto text = parse<wire::Text>(statement.text());
  if (!text) return refused_statement(fmt::format("a malformed statement of {}", author));
  std::string certificate;
  if (text->has_hello()) {
    certificate = text->hello().certificate();
    if (certificate.size() > kMaxCertificateBytes ||
        !signer_.pinned(statement.author(), certificate)) {
      return refused_statement(
          fmt::format("a certificate for {} that the study does not name", author));
    }
  } else {
    const auto known = hellos_.find(statement.author());
    if (known == hellos_.end()) {
      return refused_statement(
          fmt::format("a statement of {}, who has not said who it is", author));
    }
    certificate = known->second.certificate;
  }
  if (statement.signature().size() > kMaxSignatureBytes ||
      !signer_.verify(certificate, signed_text, statement.signature())) {
    return refused_statement(fmt::format("a statement that {} did not sign", author));
  }
  return {};
}

void RunCore::say(const wire::Text& text) {
  wire::Statement statement;
  statement.set_author(terms_.self);
  statement.set_nonce(key_.nonce());
  statement.set_text(text.SerializeAsString());
  statement.set_signature(signer_.sign(statement_text(terms_.study_hash, statement)));
  seen_.insert(statement_text(terms_.study_hash, statement));
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
  if (!seen_.insert(statement_text(terms_.study_hash, statement)).second) return;
  const PartyId author = statement.author();
  const auto text = parse<wire::Text>(statement.text());
  if (!text) return;  // inspect() lets none pass
  const auto known = hellos_.find(author);
  if (known != hellos_.end() && known->second.nonce != statement.nonce()) {
    notes_.push_back(
        fmt::format("{} speaks for another run: it has begun anew, or somebody repeats old words",
                    name(author)));
    return;
  }
  if (++statements_of_[author] > most_statements(terms_.graph.size())) {
    blame(author,
          failed("E-statement", fmt::format("{} says more than anybody has to say", name(author)),
                 "ask its operator to check the program"));
    return;
  }
  ++news_;
  flood(statement, from);
  if (text->has_hello() && known == hellos_.end()) {
    hellos_[author] = {text->hello().certificate(), statement.nonce()};
    return;
  }
  if (!over()) hear_text(author, *text);
}

void RunCore::hear_text(PartyId author, const wire::Text& text) {
  switch (text.kind_case()) {
    case wire::Text::kHello:
      hellos_.try_emplace(author, Hello{text.hello().certificate(), key_.nonce()});
      break;
    case wire::Text::kWithout: {
      std::set<PartyId> excluded(text.without().excluded().begin(),
                                 text.without().excluded().end());
      if (excluded.empty() || *excluded.rbegin() >= terms_.graph.size()) break;
      auto& announced = announced_[author];
      // Sets only grow: an older one may arrive later, by another way.
      if (!std::ranges::includes(excluded, announced)) break;
      announced = excluded;
      if (author != terms_.self && !excluded_.contains(author)) {
        exclude(excluded, fmt::format("{} has lost them", name(author)));
      }
      break;
    }
    case wire::Text::kReady:
      readies_[text.ready().attempt()].insert(author);
      break;
    case wire::Text::kReleased:
      releasers_[text.released().attempt()].insert(author);
      break;
    case wire::Text::kOutcome:
      hear_outcome(author, text.outcome());
      break;
    case wire::Text::kStopped:
      if (author != terms_.self && !excluded_.contains(author)) {
        lose(author, fmt::format("it stopped: {}", beginning_of(text.stopped().reason())));
      }
      break;
    case wire::Text::KIND_NOT_SET:
      break;
  }
}

void RunCore::hear_outcome(PartyId author, const wire::Outcome& outcome) {
  auto& outcomes = outcomes_[outcome.attempt()];
  const auto [known, fresh] = outcomes.emplace(author, outcome);
  if (fresh || author == terms_.self || excluded_.contains(author)) return;
  if (known->second.SerializeAsString() == outcome.SerializeAsString()) return;
  blame(author,
        failed("E-equivocation", fmt::format("{} signed two different outcomes", name(author)),
               "its words cannot be relied on; run again without it"));
}

}  // namespace sotto::session
