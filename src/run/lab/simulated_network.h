#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "run/lab/faults.h"
#include "run/lab/rushing_party.h"
#include "run/party_run.h"
#include "session/session.h"
#include "session/simulated_signer.h"

// The parties' processes and connections of one simulated run, and what happens to them when.
namespace sotto {

// A journal in memory. There is no ledger behind it: nothing real is spent.
class SimulatedJournal final : public Journal {
 public:
  [[nodiscard]] Result<std::vector<std::string>> records() const override { return kept_; }
  void append(std::string_view record) override { staged_.emplace_back(record); }
  [[nodiscard]] Result<void> reserve(const Debit& /*debit*/) override { return {}; }
  void spend(std::string_view /*run*/, std::string_view /*attempt*/) override {}
  void give_up(std::string_view /*run*/, std::string_view /*attempt*/) override {}
  void restore(std::string_view /*run*/, std::string_view /*attempt*/) override {}
  void foresee(std::string_view /*run*/, std::string_view /*attempt*/, std::string_view /*tag*/,
               std::span<const ObserverCharge> /*charges*/) override {}
  void book(std::string_view /*run*/, std::string_view /*attempt*/, std::string_view /*tag*/,
            std::span<const ObserverCharge> /*charges*/) override {}
  [[nodiscard]] Result<void> commit() override;
  // The process dies: what was not committed is gone.
  void crash() { staged_.clear(); }

 private:
  std::vector<std::string> kept_;
  std::vector<std::string> staged_;
};

class FaultNetwork {
 public:
  // How a party's run ended.
  struct End {
    bool over = false;
    std::string error;  // its name; empty: finished
    std::vector<PartyId> members;
    std::vector<double> result;
    std::string transcript;
    double seconds = 0;
  };

  FaultNetwork(const PlannedStudy& planned, const Costs& costs, const FaultTerms& faults);
  // E-faults-long for a run that does not end.
  [[nodiscard]] Result<void> run();

  [[nodiscard]] const std::vector<End>& ends() const { return ends_; }
  // Frames, bytes, crashes and attempts; how it ended is the caller's to say.
  [[nodiscard]] FaultReport counts() const;

 private:
  using Micros = std::int64_t;
  enum class What { kStart, kConnect, kEndUp, kEndDown, kDeliver, kFlush, kTick };
  struct Event {
    What what = What::kTick;
    PartyId party = 0;
    PartyId peer = 0;
    std::uint64_t life = 0;  // of the party's process, or of the connection
    std::string frame = {};
    std::uint64_t order = 0;  // among those of one instant: as they were first meant to happen
  };
  struct Machine {
    explicit Machine(PartyId self, PartyRun made) : run(std::move(made)), signer(self) {}
    PartyRun run;
    SimulatedSigner signer;
    SimulatedJournal journal;
    std::optional<RunKey> key;
    std::unique_ptr<Session> session;
    std::uint64_t life = 0;
    bool gone = false;
    bool flush_due = false;
    Micros busy_until = 0;                      // computing
    Micros sending_until = 0;                   // its line is taken
    double computed_ms = 0;                     //
    std::uint64_t bytes = 0;                    // sent
    std::map<PartyId, std::uint64_t> numbered;  // the last body that each neighbour was sent
    std::set<KeyedRandom::Key> attempts;
  };
  struct Connection {
    bool up = false;
    std::uint64_t life = 0;
    std::map<PartyId, bool> noticed;         // by end
    std::map<PartyId, Micros> last_arrival;  // of a stream, by the end that it goes to
  };
  // What a frame costs beside its own bytes.
  struct Weight {
    std::uint64_t number = 0;  // of its body
    std::uint64_t bytes = 0;   // with ciphertexts of Paillier's length
    std::size_t made = 0;      // ciphertexts in an offer
    std::size_t answered = 0;  // and in a reply
  };

  void at(Micros when, Event event);
  // The same event later: behind none that was meant to happen after it.
  void put_off(Micros until, Event event);
  [[nodiscard]] Result<void> happen(Event& event);
  [[nodiscard]] Result<void> start(PartyId p);
  void crash(PartyId p);
  void finish(PartyId p);
  [[nodiscard]] Result<void> flush(PartyId p);
  void flush_soon(PartyId p);
  void connect(PartyId a, PartyId b);
  void end_up(const Event& event);
  void end_down(const Event& event);
  void break_connection(PartyId a, PartyId b);
  void send(PartyId from, const Outgoing& outgoing);
  // When the stream to `to` has delivered what leaves at `leaves`, losses included.
  [[nodiscard]] Micros arrival(Machine& sender, Connection& connection, PartyId to,
                               std::uint64_t bytes, Micros leaves);
  void deliver(Event& event);
  void lose(PartyId from, PartyId to);
  [[nodiscard]] Weight weigh(const std::string& frame) const;
  [[nodiscard]] double uniform();  // in (0, 1]
  [[nodiscard]] Micros travel();
  [[nodiscard]] Time now_ms() const { return Time(now_ / 1000); }
  [[nodiscard]] Connection& between(PartyId a, PartyId b);

  const PlannedStudy& planned_;
  FaultTerms faults_;
  CipherCost cost_;
  std::shared_ptr<const Cipher> cipher_;
  SeededRandom random_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::map<std::pair<PartyId, PartyId>, Connection> connections_;
  std::optional<RushingParty> rushing_;
  std::map<std::pair<Micros, std::uint64_t>, Event> events_;
  std::uint64_t order_ = 0;
  Micros now_ = 0;
  std::multiset<std::uint64_t> crash_at_;  // delivered frames
  std::uint64_t delivered_ = 0;
  FaultReport counts_;
  std::vector<End> ends_;
  std::optional<Error> unmade_;  // a party that could not be made
};

}  // namespace sotto
