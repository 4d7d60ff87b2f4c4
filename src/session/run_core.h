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
  kSealing,    // the cost is held back; only ciphertexts and keys travel
  kReady,      // sealed, and committed to it; waiting until all are
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
  [[nodiscard]] Result<void> reserve(const std::string& attempt,
                                     const std::vector<ObserverCharge>& charges);
  void spend(std::string_view attempt);
  void give_up(std::string_view attempt);
  void restore(std::string_view attempt);
  void foresee(std::string_view attempt, std::string_view tag,
               std::span<const ObserverCharge> charges);
  void book(std::string_view attempt, std::string_view tag,
            std::span<const ObserverCharge> charges);

  // What was refused, and for which attempt.
  struct Refused {
    Error error;
    std::string attempt;
  };
  bool replaying = false;
  std::optional<Refused> refusal;  // of the event under way; on replay, as it was

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
//     Nothing that depends on data leaves before the cost is held back, and nobody's release
//     before it has committed to it.
//  4. Whoever has said Ready stops for a loss only when all who are left have said Without the
//     same parties: before that one of them may have released, and would wait for it in vain.
class RunCore {
 public:
  RunCore(const SessionTerms& terms, const Signer& signer, PartyFactory factory, const RunKey& key,
          RunLedger& ledger);

  // Whether a body is worth hearing: well-formed, no longer than it can be, signed by whom it
  // says. Changes nothing.
  [[nodiscard]] Result<void> inspect(PartyId from, const wire::Body& body) const;
  // Whether it can change anything here: repetitions and words of what is over cannot.
  [[nodiscard]] bool is_news(PartyId from, const wire::Body& body) const;

  // The events. hear() takes what inspect() let pass and is_news(), hear_idle() what is none. The
  // journal keeps no more than a digest of the latter, and replay hears it without its body:
  // nothing that is heard or said later may depend on that. After either, spoke() says which start
  // of the neighbour's that was, by its frames.
  void begin();
  void hear(PartyId from, const wire::Body& body);
  void hear_idle(PartyId from, const wire::Body& body);
  void spoke(PartyId neighbour, const std::string& nonce);
  void lose(PartyId party, const std::string& reason);
  // A neighbour remembers nothing of what passed between us: it hears again what all have said.
  // Whether that can be asked for once more.
  // The start that takes part may come late: all others know it by then, and it has heard nothing.
  [[nodiscard]] bool may_renew(PartyId neighbour, const std::string& nonce) const;
  void renew(PartyId neighbour, const std::string& nonce);
  // `why` is what the others hear of it, and whose fault it is.
  void end(Error error, wire::Stopped::Why why, std::optional<PartyId> fault = std::nullopt);

  // Bodies for neighbours, in order.
  [[nodiscard]] std::vector<std::pair<PartyId, std::string>> take_outgoing();
  // What a person should hear about, such as a peer's bad word.
  [[nodiscard]] std::vector<std::string> take_notes();

  [[nodiscard]] KeyedRandom::Key first_cipher_key() const { return key_.for_first_cipher(); }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool over() const { return phase_ >= Phase::kFinished; }
  // Whether an attempt has begun, also if it was given up since.
  [[nodiscard]] bool begun() const { return attempt_ || !past_attempts_.empty(); }
  // Whether anything readable of this party's has left it.
  [[nodiscard]] bool released() const { return released_; }
  // What has left it, and what was booked for that: a clause for a person.
  [[nodiscard]] std::string what_left() const;
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  // What this party's run has in common with every other's: who takes part in it, in which start.
  // 32 hexadecimal digits; empty before the first attempt.
  [[nodiscard]] std::string shared_id() const;
  // Everybody who takes part has said hello; only their agreement on that is missing.
  [[nodiscard]] bool all_present() const;
  // Why a party that is waited for is not there, as far as it said so.
  [[nodiscard]] std::string why_gone(PartyId party) const;
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
  // Everything heard that brought this run nearer to its end. Repetitions and idle words did not,
  // nor did words about attempts that are not under way, of which a liar can make many.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }
  // Preconditions: kComparing or kFinished.
  [[nodiscard]] std::vector<double> result() const;
  [[nodiscard]] std::string transcript_hash() const;  // hexadecimal; the same at every party

 private:
  struct Hello {
    std::string certificate;
    std::string nonce;
    std::uint64_t start = 0;
    bool gone = false;  // it stopped, and is waited for
  };
  struct SignedRelease {
    std::string digest;
    std::string signature;
    std::string nonce;
    bool operator==(const SignedRelease&) const = default;
  };
  // One try with one set of parties.
  struct Attempt {
    std::string id;
    std::vector<PartyId> members;  // ascending
    std::unique_ptr<StagedParty> party;
    std::vector<ObserverCharge> if_neighbour_released;
    MessageLimits limits;
    bool suspended = false;  // we have said Without since
    bool reserved = false;   // its cost is held back
    bool ready = false;      // we have said Ready: from now on others may release
    std::map<PartyId, std::vector<std::string>> sent;  // bodies for neighbours not yet heard from
    std::map<PartyId, SignedRelease> witnessed;
    std::map<PartyId, Digest> heard_values;  // of neighbours, by study number
    std::map<PartyId, double> heard_scale;   // largest number of their first round
    std::map<PartyId, Payload> held;         // first rounds of neighbours that released before us
    std::map<PartyId, wire::Evidence> evidence;  // of members, where outcomes differ
    bool gave_evidence = false;
    std::optional<Digest> sent_values;
    Round next_sent_round = 0;
    double scale = 0;
  };
  using Outcomes = std::map<PartyId, wire::Outcome>;
  struct Said {
    std::size_t statements = 0;
    std::size_t bytes = 0;
  };

  [[nodiscard]] const std::string& name(PartyId party) const { return terms_.names[party]; }
  [[nodiscard]] std::optional<PartyId> place_of(PartyId party) const;  // within the attempt
  [[nodiscard]] bool present(PartyId party) const;  // has said hello, and has not stopped since
  [[nodiscard]] bool all_ready() const;
  [[nodiscard]] std::vector<PartyId> neighbours_in_attempt() const;

  // Statements.
  [[nodiscard]] Result<void> inspect_statement(const wire::Statement& statement) const;
  void say(const wire::Text& text);
  void flood(const wire::Statement& statement, std::optional<PartyId> except);
  void hear_statement(PartyId from, const wire::Statement& statement);
  void hear_text(PartyId author, const wire::Text& text);
  void hear_ready(PartyId author, const wire::Ready& ready);
  void hear_stopped(PartyId author, const std::string& reason);
  void hear_outcome(PartyId author, const wire::Outcome& outcome);
  void hear_without(PartyId author, const std::set<PartyId>& excluded);
  [[nodiscard]] Result<void> inspect_text(const std::string& author, const wire::Text& text,
                                          std::size_t bytes) const;
  [[nodiscard]] bool of_another_run(const wire::Statement& statement) const;
  [[nodiscard]] std::string of_another_run_note(PartyId author) const;
  void heard_from_itself(PartyId neighbour);
  [[nodiscard]] bool is_under_way(const std::string& attempt) const;
  [[nodiscard]] bool is_another_start(const wire::Statement& statement) const;
  [[nodiscard]] bool is_later_start(const wire::Statement& statement) const;
  void hear_hello(const wire::Statement& statement, const wire::Hello& hello);
  [[nodiscard]] std::size_t begun_anew() const;  // how often everybody has begun, in all; from 1
  [[nodiscard]] bool said_too_much(PartyId author) const;
  [[nodiscard]] std::string reason_of(const wire::Stopped& stopped) const;

  // Steps.
  [[nodiscard]] Result<void> inspect_step(PartyId from, const wire::Step& step) const;
  void hear_step(PartyId from, const wire::Step& step);
  void deliver(PartyId from, const Payload& payload);
  void hold(PartyId from, const Payload& payload);
  [[nodiscard]] bool opens_commitment(PartyId author, const std::string& digest,
                                      const std::string& nonce);
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
  [[nodiscard]] bool needs(PartyId party) const;  // those who are left cannot go on without it
  void blame(PartyId party, Error error);
  // Before the release, a party that stops, or begins anew, may come back: whether the attempt
  // under way can be given up for it, and that it is.
  [[nodiscard]] bool can_wait_for(PartyId party) const;
  void wait_again();
  // How many attempts of a run may show something: what the plan's looks are counted for.
  [[nodiscard]] std::size_t most_attempts() const;

  // The phases.
  void advance();
  [[nodiscard]] bool step_forward();
  void prepare();
  [[nodiscard]] bool start_attempt();
  [[nodiscard]] bool resume_attempt();
  void close_unreleased(const std::vector<PartyId>& may_have_released);
  [[nodiscard]] bool seal();
  [[nodiscard]] bool pass_barrier();
  [[nodiscard]] bool conclude();
  [[nodiscard]] bool compare();
  [[nodiscard]] bool compare_values();
  // Members whose outcome is not ours, with `exact`. Precondition: all have said theirs.
  [[nodiscard]] std::vector<PartyId> who_differs() const;
  [[nodiscard]] std::string heard_releases() const;  // as one digest
  void give_evidence();
  void name_who_lied(PartyId witness, const wire::Evidence& evidence);

  const SessionTerms& terms_;
  const Signer& signer_;
  PartyFactory factory_;
  RunKey key_;
  RunLedger& ledger_;

  Phase phase_ = Phase::kMeeting;
  bool released_ = false;
  std::optional<Error> error_;
  std::optional<Attempt> attempt_;
  std::optional<Result<AttemptParty>> prepared_;  // for everybody, before anybody is heard
  std::set<std::string> past_attempts_;
  std::map<PartyId, Hello> hellos_;
  std::set<PartyId> excluded_;
  std::map<PartyId, std::set<PartyId>> announced_;                 // Without, by author
  std::string proposed_;                                           // what we have said Met of last
  std::map<std::string, std::set<PartyId>> met_;                   // by attempt
  std::map<std::string, std::map<PartyId, std::string>> readies_;  // by attempt: commitments
  std::map<std::string, std::set<PartyId>> releasers_;             // by attempt
  std::map<std::string, Outcomes> outcomes_;                       // by attempt
  std::map<PartyId, std::vector<wire::Step>> early_;               // of attempts we have not begun
  std::set<PartyId> farewells_;
  // By author: its introductions, and the rest of its latest start.
  std::map<PartyId, std::vector<wire::Statement>> spoken_;
  // By author: the starts that count, by nonce, each with the certificates that it was heard with.
  // Two are a lie, and no fault of those who pass on what was signed with the other.
  std::map<PartyId, std::map<std::string, std::set<std::string>>> starts_;
  std::set<PartyId> spoken_to_;  // neighbours that we have heard from in their latest start
  std::map<PartyId, std::size_t> renewals_;  // of neighbours
  std::size_t seen_attempts_ = 0;  // given up after something that depends on data was shown
  std::set<std::string> seen_;     // digests of statements
  std::map<PartyId, Said> said_;   // by author: what we took
  std::map<PartyId, std::size_t> idle_words_;    // of neighbours: told us nothing new
  std::map<PartyId, std::uint64_t> step_bytes_;  // of neighbours: what we took
  std::uint64_t step_allowance_ = 0;             // for each of them, in all attempts so far
  std::size_t looks_booked_ = 0;                 // neighbours, in attempts that were given up
  std::string why_excluded_;
  std::map<PartyId, std::string> why_gone_;  // of those who stopped, and may come back
  std::uint64_t steps_ = 0;
  std::uint64_t news_ = 0;   // heard and worth keeping
  std::uint64_t moves_ = 0;  // and of this run
  std::vector<std::pair<PartyId, std::string>> outgoing_;
  std::vector<std::string> notes_;
};

}  // namespace session
}  // namespace sotto
