#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "session/terms.h"
#include "session/wire.h"

namespace sotto {

// Where a run stands. In this order, but for two: a loss before the release leads back to
// kMeeting, and kStopped can follow any.
enum class Phase {
  kMeeting,    // waiting until everybody has said who they are
  kSealing,    // only ciphertexts and masks travel
  kReady,      // sealed and debited; waiting until all are
  kReleasing,  // past the barrier: releases travel, averages form
  kComparing,  // the result is there; do all have the same?
  kFinished,
  kStopped,
};
inline constexpr EnumNames<Phase, 7> kPhases{
    {"meeting", "sealing", "ready", "releasing", "comparing", "finished", "stopped"}};

namespace session {

// Turns what a run does to the ledger into the journal's moves; on replay they have happened. What
// the ledger refused goes into the journal too: it is one of the things that happened to the run.
class RunLedger {
 public:
  RunLedger(Journal& journal, Debit debit) : journal_(journal), debit_(std::move(debit)) {}
  [[nodiscard]] Result<void> reserve(std::string_view attempt);
  void spend(std::string_view attempt);
  void restore(std::string_view attempt);

  bool replaying = false;
  std::optional<Error> refusal;  // of the event under way; on replay, as it was

 private:
  Journal& journal_;
  Debit debit_;
};

// One party's run as a pure function of what happened to it: no clock, no
// journal, no connections. Replaying the same events gives the same words.
//
// Invariants (docs/proofs/session.md):
//  1. Nothing readable leaves before every member of the attempt has said Ready.
//  2. Whoever has said Without(E) releases nothing that was sealed with a member of E,
//     unless a member outside E has released already: then no attempt without E can start.
//  3. So at most one attempt is ever released by this party, and it is debited before.
//  4. Whoever has said Ready stops for a loss only when all who are left have said Without the
//     same parties: before that one of them may have released, and would wait for it in vain.
class RunCore {
 public:
  RunCore(const SessionTerms& terms, const Signer& signer, PartyFactory factory, const RunKey& key,
          RunLedger& ledger);

  // Whether a body is worth hearing: well-formed, signed by whom it says. Changes nothing.
  [[nodiscard]] Result<void> inspect(PartyId from, const wire::Body& body) const;

  // The events. hear() takes what inspect() let pass.
  void begin();
  void hear(PartyId from, const wire::Body& body);
  void lose(PartyId party, const std::string& reason);
  void end(Error error);

  // Bodies for neighbours, in order.
  [[nodiscard]] std::vector<std::pair<PartyId, std::string>> take_outgoing();
  // What a person should hear about, such as a peer's bad word.
  [[nodiscard]] std::vector<std::string> take_notes();

  [[nodiscard]] KeyedRandom::Key first_cipher_key() const { return key_.for_first_cipher(); }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool over() const { return phase_ >= Phase::kFinished; }
  // Whether anything readable of this party's has left it.
  [[nodiscard]] bool released() const { return released_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  // Whom the run is waiting for, as far as this party can tell.
  [[nodiscard]] std::vector<PartyId> waiting_for() const;
  [[nodiscard]] const std::set<PartyId>& excluded() const { return excluded_; }
  // The parties of the attempt under way or finished. Empty before the first.
  [[nodiscard]] std::vector<PartyId> members() const;
  [[nodiscard]] bool said_farewell(PartyId neighbour) const {
    return farewells_.contains(neighbour);
  }
  // Protocol messages taken so far: a measure of progress.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // Everything heard that was new. Repetitions and idle words are no progress.
  [[nodiscard]] std::uint64_t news() const { return news_; }
  // Preconditions: kComparing or kFinished.
  [[nodiscard]] std::vector<double> result() const;
  [[nodiscard]] std::string transcript_hash() const;  // hexadecimal; the same at every party

 private:
  struct Hello {
    std::string certificate;
    std::string nonce;
  };
  // One try with one set of parties.
  struct Attempt {
    std::string id;
    std::vector<PartyId> members;  // ascending
    std::unique_ptr<StagedParty> party;
    bool suspended = false;  // we have said Without since
    bool reserved = false;
    std::map<PartyId, std::pair<std::string, std::string>> witnessed;  // digest, signature
    std::map<PartyId, Digest> heard_values;  // of neighbours, by study number
    std::map<PartyId, double> heard_scale;   // largest number of their first round
    std::map<PartyId, Payload> held;         // first rounds of neighbours that released before us
    std::optional<Digest> sent_values;
    Round next_sent_round = 0;
    double scale = 0;
  };
  using Outcomes = std::map<PartyId, wire::Outcome>;

  [[nodiscard]] const std::string& name(PartyId party) const { return terms_.names[party]; }
  [[nodiscard]] std::optional<PartyId> place_of(PartyId party) const;  // within the attempt
  [[nodiscard]] bool all_members(const std::set<PartyId>& said) const;

  // Statements.
  [[nodiscard]] Result<void> inspect_statement(const wire::Statement& statement) const;
  void say(const wire::Text& text);
  void flood(const wire::Statement& statement, std::optional<PartyId> except);
  void hear_statement(PartyId from, const wire::Statement& statement);
  void hear_text(PartyId author, const wire::Text& text);
  void hear_outcome(PartyId author, const wire::Outcome& outcome);

  // Steps.
  [[nodiscard]] Result<void> inspect_step(PartyId from, const wire::Step& step) const;
  void hear_step(PartyId from, const wire::Step& step);
  void deliver(PartyId from, const Payload& payload);
  void hold(PartyId from, const Payload& payload);
  [[nodiscard]] bool witness(PartyId from, const Payload& payload);
  void send(std::vector<Message> messages);
  void sign(Payload& payload);

  // Who takes part.
  void exclude(const std::set<PartyId>& parties, const std::string& reason);
  [[nodiscard]] std::string lost() const;
  [[nodiscard]] std::set<PartyId> within_reach() const;
  [[nodiscard]] bool announced_by(const std::set<PartyId>& parties,
                                  const std::set<PartyId>& these) const;
  [[nodiscard]] bool given_up_by_all_left() const;
  [[nodiscard]] std::optional<Error> cannot_go_on() const;
  void blame(PartyId party, Error error);

  // The phases.
  void advance();
  [[nodiscard]] bool step_forward();
  [[nodiscard]] bool start_attempt();
  [[nodiscard]] bool resume_attempt();
  [[nodiscard]] bool seal();
  [[nodiscard]] bool pass_barrier();
  [[nodiscard]] bool conclude();
  [[nodiscard]] bool compare();
  void name_who_differs();

  const SessionTerms& terms_;
  const Signer& signer_;
  PartyFactory factory_;
  RunKey key_;
  RunLedger& ledger_;

  Phase phase_ = Phase::kMeeting;
  bool released_ = false;
  std::optional<Error> error_;
  std::optional<Attempt> attempt_;
  std::set<std::string> past_attempts_;
  std::map<PartyId, Hello> hellos_;
  std::set<PartyId> excluded_;
  std::map<PartyId, std::set<PartyId>> announced_;      // Without, by author
  std::map<std::string, std::set<PartyId>> readies_;    // by attempt
  std::map<std::string, std::set<PartyId>> releasers_;  // by attempt
  std::map<std::string, Outcomes> outcomes_;            // by attempt
  std::map<PartyId, std::vector<wire::Step>> early_;    // of attempts we have not begun
  std::set<PartyId> farewells_;
  std::set<std::string> seen_;                    // digests of statements
  std::map<PartyId, std::size_t> statements_of_;  // how many we took
  std::map<PartyId, std::size_t> idle_words_;     // of neighbours: told us nothing new
  std::string why_excluded_;
  std::uint64_t steps_ = 0;
  std::uint64_t news_ = 0;
  std::vector<std::pair<PartyId, std::string>> outgoing_;
  std::vector<std::string> notes_;
};

}  // namespace session
}  // namespace sotto
