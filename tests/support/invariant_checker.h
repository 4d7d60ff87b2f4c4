#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/fault_simulation.h"
#include "support/memory_journal.h"
#include "support/simulated_study.h"

namespace sotto {

// Sees every frame that leaves a party, and says which promise of docs/proofs/session.md was
// broken. It knows nothing of how the parties keep them.
class InvariantChecker {
 public:
  explicit InvariantChecker(const SimulatedStudy& study);

  // The study's factory, which remembers what each attempt drew from.
  [[nodiscard]] PartyFactory factory(PartyId self);

  // At the moment of sending: is it allowed to leave?
  void sent(PartyId from, const std::string& frame, const Session& session,
            const MemoryJournal& journal);
  void refused(PartyId at, PartyId from, const Error& error);
  // What its operator is told.
  void told(PartyId at, const std::vector<std::string>& notes);
  void left(PartyId party, const Session& session, const MemoryJournal& journal);
  // Its process does not come back, and its run is ended without it; what its disk holds then is
  // what it was held to.
  void died(PartyId party, MemoryJournal& journal);

  // When all is over. `victim` is the party that was meant to die.
  void verify(FaultKind kind, std::optional<PartyId> victim);

  [[nodiscard]] bool released(PartyId party) const { return !rounds_[party].empty(); }
  bool begun_anew = false;  // somebody has: then a set of parties may seal more than once
  std::set<PartyId> liars;  // nothing is promised about them, and what they say is not looked at
  std::vector<std::string> violations;
  std::vector<PartyEnd> ends;

 private:
  using Members = std::vector<PartyId>;
  void violated(PartyId party, const std::string& what);
  [[nodiscard]] bool with_liars(const Members& members) const;
  void look_at_blame(PartyId at, const wire::Stopped& stopped);
  void look_at_memory(PartyId party, const MemoryJournal& journal);
  void compare_ends(PartyId p, PartyId q);
  void look_at_release(PartyId from, const std::string& attempt, const Session& session,
                       const MemoryJournal& journal);
  void look_at_offer(PartyId from, const wire::ShuffleOffer& offer);
  void look_at_reserve(PartyId from, const std::string& attempt, const Session& session,
                       const MemoryJournal& journal);
  void look_at_ledger(PartyId party, const MemoryJournal& journal, bool over);
  void look_at_neighbours_releases();
  void look_at_result(PartyId party);
  void look_at_attempts();
  void look_at_finished(FaultKind kind, std::optional<PartyId> victim);
  [[nodiscard]] const std::vector<std::vector<double>>& undisturbed(const Members& members);

  const SimulatedStudy& study_;
  std::map<std::pair<PartyId, Members>, AttemptKeys> keys_;
  std::map<Members, std::vector<std::vector<double>>> undisturbed_;
  std::vector<std::map<Round, std::string>> rounds_;  // by party: what it sent, readable
  std::vector<std::optional<std::string>> attempts_;  // by party: what its readable words are of
  std::vector<Members> released_with_;                // and whom that was sealed with
  std::vector<std::string> runs_;                     // by party
  std::vector<std::set<std::string>> shown_;          // by party: attempts of which offers left
  std::vector<std::map<std::string, std::string>> offers_;  // by party: what left under which key
  std::vector<std::set<std::string>> said_ready_;           // by party: attempts
  std::vector<std::map<std::string, std::set<std::string>>> booked_;  // by party and attempt
  std::vector<std::set<std::string>> spent_;                          // attempts, by party
};

}  // namespace sotto
