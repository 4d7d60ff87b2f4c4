#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "session/links.h"
#include "session/run_core.h"

namespace sotto {

// Where a run stands, for a program; describe() says it for a person.
struct SessionProgress {
  Phase phase = Phase::kMeeting;
  RunState state = RunState::kRunning;
  std::vector<std::string> waiting_for;  // parties
  std::vector<std::string> without;      // parties that were lost, and given up
  bool released = false;                 // something readable has left this party
  bool operator==(const SessionProgress&) const = default;
};

// One party's run as its driver sees it: connections, frames and time go in, frames
// come out, and everything that must not be lost is in the journal before it has
// any effect outside. Sans-IO: the network and the fault simulation drive the
// same object. After any crash, open() with the same journal goes on where the
// last commit was, with the same noise and the same words.
class Session {
 public:
  // With an empty journal: begins a run with `fresh`. Otherwise resumes; `fresh` is not used.
  // refused[E-run-differs] if the run began with another study, key, data or noise: the same noise
  // on other data would show the difference, other noise from the same key is a look that nobody
  // has counted. `signer` and `journal` outlive the session.
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(SessionTerms terms,
                                                             const Signer& signer, Journal& journal,
                                                             PartyFactory factory,
                                                             const RunKey& fresh, Time now);

  void connected(PartyId neighbour, Time now);
  void disconnected(PartyId neighbour, Time now);
  // A refusal names the neighbour. The driver should say so and hang up.
  [[nodiscard]] Received<void> receive(PartyId from, std::string_view frame, Time now);
  // Call at least every second or so.
  void tick(Time now);
  // Ends the run, for all. The others hear the class of it, and none of the error's words.
  void stop(const Error& error, wire::Stopped::Why why = wire::Stopped::INTERNAL);
  // The same, because a person gave it up: E-aborted.
  void abort();

  // Commits, and then says what may go out. After an error this session must not be used any
  // more: the journal is behind it.
  [[nodiscard]] Result<std::vector<Outgoing>> flush(Time now);

  // Why a neighbour cannot be reached, for the reason that is given if it never comes.
  void trouble(PartyId neighbour, std::string why);

  // What this party's first cipher keys will be made from, as long as there is time to make them:
  // the others are still waited for.
  [[nodiscard]] std::optional<KeyedRandom::Key> idle_key() const;

  // Whether the next flush() has something to commit.
  [[nodiscard]] bool has_staged() const { return staged_; }

  // The run is over and nobody needs this party any more, or has had the time to ask.
  [[nodiscard]] bool may_leave(Time now) const;
  // Neighbours that have not said that they have everything, when this party has.
  [[nodiscard]] std::vector<PartyId> in_need() const;

  [[nodiscard]] const session::RunCore& run() const { return core_; }
  // This party's own name for the run, hexadecimal; run().shared_id() is everybody's.
  [[nodiscard]] std::string run_id() const { return terms_.debit.run; }
  [[nodiscard]] std::uint64_t start() const { return terms_.start; }
  // Nothing that another party could wait for has been promised: the run can be begun anew.
  [[nodiscard]] bool unbound() const { return core_.phase() == Phase::kMeeting && !core_.begun(); }
  [[nodiscard]] std::span<const PartyId> neighbours() const {
    return terms_.graph.neighbours(terms_.self);
  }
  [[nodiscard]] RunState state() const;
  [[nodiscard]] SessionProgress progress() const;
  [[nodiscard]] std::vector<std::string> take_notes();
  // For a person: what is being waited for, or how it ended.
  [[nodiscard]] std::string describe() const;
  // What has left this party, and what it cost.
  [[nodiscard]] std::string statement() const;

 private:
  Session(SessionTerms terms, const Signer& signer, Journal& journal, PartyFactory factory,
          const RunKey& key, Time now);
  [[nodiscard]] Result<void> replay(std::span<const std::string> records);
  [[nodiscard]] Result<void> hear_again(const wire::Heard& heard);
  [[nodiscard]] Result<void> renew_again(const wire::Renewed& renewed);
  void take_up(PartyId from, std::string_view frame);
  void record(const wire::JournalEvent& event);
  // After an event: a refusal of the ledger's is recorded, the run's words go into the links.
  void settle(Time now);
  void post();
  [[nodiscard]] bool meeting() const;
  [[nodiscard]] bool lose_silent_neighbours(Time now);
  void lose_who_has_not_come(Time now);
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<PartyId>& parties) const;

  SessionTerms terms_;
  Journal& journal_;
  session::RunLedger ledger_;
  session::RunCore core_;
  session::Links links_;
  bool staged_ = false;
  bool aborted_ = false;
  std::set<PartyId> known_;             // neighbours whose start stands in the journal
  std::map<PartyId, Time> away_since_;  // neighbours that are not connected
  std::map<PartyId, std::string> troubles_;
  Time meeting_since_;
  Time met_again_for_{};  // how long those who had come before were waited for
  Time last_progress_;
  Time phase_since_;
  Phase last_phase_ = Phase::kMeeting;
  std::uint64_t last_moves_ = 0;
  bool was_meeting_ = true;
  bool met_before_ = false;
  bool released_ = false;
  std::optional<Error> broken_;  // the ledger could not even be asked
};

}  // namespace sotto
