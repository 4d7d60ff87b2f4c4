#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/invariant_checker.h"
#include "support/liar.h"
#include "support/memory_journal.h"

namespace sotto {

// One schedule under way: a clock, what is to happen when, and the processes and connections
// that it happens to.
class FaultSchedule {
 public:
  FaultSchedule(std::uint64_t seed, FaultKind kind, const SimulatedStudy& study);
  void run();

  InvariantChecker& checker() { return checker_; }
  [[nodiscard]] const FaultCounts& counts() const { return counts_; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::optional<PartyId> victim() const { return victim_; }

 private:
  enum class What { kStart, kConnect, kEndUp, kEndDown, kDeliver, kFlush, kTick };
  struct Event {
    What what = What::kTick;
    PartyId party = 0;
    PartyId peer = 0;
    std::uint64_t life = 0;  // of the party's process, or of the connection
    std::string frame = {};
  };
  // A party's machine. The process dies and comes back, the journal stays.
  struct Machine {
    explicit Machine(PartyId self) : signer(self) {}
    std::unique_ptr<MemoryJournal> journal = std::make_unique<MemoryJournal>();
    double limit = 0;
    std::uint64_t start = 1;
    SimulatedSigner signer;
    std::unique_ptr<Session> session;
    std::uint64_t life = 0;
    std::unique_ptr<Liar> liar;  // changes what leaves it
    bool gone = false;           // dead or left: it does not come back
    bool flush_due = false;
  };
  struct Connection {
    bool up = false;
    std::uint64_t life = 0;
    Time blocked_until{};
    std::map<PartyId, bool> noticed;  // by end: it believes to be connected
  };
  // How a schedule is disturbed, drawn at its beginning.
  struct Character {
    std::uint64_t slow_ms = 0;      // frames take up to this
    std::uint64_t loss = 0;         // of 1000 frames
    std::uint64_t losses_left = 0;  // in all
    std::uint64_t repeat = 0;       // of 1000 frames
    std::uint64_t survive = 0;      // of 1000 frames under way when their connection breaks
    std::uint64_t fault_every = 0;  // received frames
    std::uint64_t faults_left = 0;
    std::optional<Phase> target;  // faults only in this phase
    Time outages_left{};          // kBenign: in all
  };

  [[nodiscard]] Character draw_character();
  void draw_liars();
  [[nodiscard]] double draw_limit();  // of a party's account
  [[nodiscard]] bool chance(std::uint64_t of_1000) { return random_.below(1000) < of_1000; }
  [[nodiscard]] Time up_to(std::uint64_t milliseconds);
  [[nodiscard]] Connection& between(PartyId a, PartyId b);
  void at(Time when, Event event);
  void happen(Event& event);

  // Processes.
  void start(PartyId p);
  void crash(PartyId p, std::optional<Time> back_after);
  void leave(PartyId p);
  void flush(PartyId p);
  void flush_soon(PartyId p);
  void tick(PartyId p);

  // Connections.
  void connect(PartyId a, PartyId b);
  void break_connection(PartyId a, PartyId b);
  void cut(PartyId a, PartyId b, Time duration);
  void end_up(const Event& event);
  void end_down(const Event& event);
  void send(PartyId from, Outgoing& outgoing);
  void transmit(PartyId from, const Outgoing& outgoing);
  void deliver(Event& event);

  // Faults.
  void maybe_fault(PartyId p);
  void fault(PartyId p);
  void begin_anew(PartyId p);
  void maybe_kill_victim(PartyId p);
  [[nodiscard]] std::optional<Time> outage();  // none: for ever

  FaultKind kind_;
  const SimulatedStudy& study_;
  SeededRandom random_;
  InvariantChecker checker_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::map<std::pair<PartyId, PartyId>, Connection> connections_;
  std::map<std::pair<Time, std::uint64_t>, Event> events_;
  std::uint64_t order_ = 0;
  Time now_{};
  Character character_;
  std::optional<PartyId> victim_;
  std::uint64_t victim_frames_ = 0;  // it dies after so many, in its phase
  FaultCounts counts_;
};

}  // namespace sotto
