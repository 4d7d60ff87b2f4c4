#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"

namespace sotto {

// How a run stands, or ended: what a session says of it, and what a store keeps.
enum class RunState {
  kRunning,
  kFinished,  // with a result
  kAborted,   // somebody gave it up
  kFailed,
};
inline constexpr EnumNames<RunState, 4> kRunStates{{"running", "finished", "aborted", "failed"}};

// What one kind of observer learns from one attempt: squares of shifts, in standard deviations of
// the noise. Squares add, within a run as over runs: docs/proofs/ledger.md.
struct ObserverCharge {
  std::string observer;  // "eavesdropper", "neighbour", "colluders-2", "all-neighbours"
  double released = 0;   // shift² of the attempt if its value leaves, its own looks included
  double looks = 0;      // shift² of what it has shown if it is given up once offers were answered
  bool operator==(const ObserverCharge&) const = default;
};

// What a release costs, for the ledger.
struct Debit {
  std::string run;      // hexadecimal; a run is debited once, however often this is asked for
  std::string attempt;  // hexadecimal; which set of parties the value is sealed for
  std::string study;    // its name
  std::string data;     // the account
  std::string unit;     // record | entry   (add/remove, replace and entry are never mixed)
  double epsilon = 0;   // what the study asks for: basic composition is shown beside
  double delta = 0;
  std::vector<ObserverCharge> charges;  // weakest observer first
  std::string guaranteed;               // the one whose charge the account's limit counts
  std::size_t colluders = 0;            // against coalitions of how many the study holds
  double laplace_epsilon = 0;           // gt's truncated Laplace part stays (ε, δ)
  double laplace_delta = 0;
  double excess_delta = 0;  // of the discrete mechanism, added to δ
};

// A party's memory of one run, and its ledger. What is random is written before it
// is used, what is received before it is answered: after a crash at any instant
// the records are those of the last commit, and replaying them gives the same bits.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  // Everything committed so far, in order.
  [[nodiscard]] virtual Result<std::vector<std::string>> records() const = 0;

  // Staged until commit(): all of it is kept, or nothing.
  virtual void append(std::string_view record) = 0;
  // Holds back, for every observer, the larger of `released` and `looks`: asked before the first
  // word of the attempt that depends on data. refused[E-ledger-overdrawn] if the account's limit
  // could be passed, and then nothing is staged. The same run and attempt again changes nothing.
  [[nodiscard]] virtual Result<void> reserve(const Debit& debit) = 0;
  // The attempt's value is about to leave: `released` is spent, for ever.
  virtual void spend(std::string_view run, std::string_view attempt) = 0;
  // The attempt ended after offers were answered, and its value has not left: `looks` are booked,
  // for ever, and the rest is free again.
  virtual void give_up(std::string_view run, std::string_view attempt) = 0;
  // The attempt ended and nothing that depends on data has left: all of it is free again.
  virtual void restore(std::string_view run, std::string_view attempt) = 0;
  // What an attempt that is held back will have shown besides if it ends and nobody moves it: its
  // process died, and the run was ended without it. Then this is booked under `tag`, as book()
  // would. Each `tag` once; spend(), give_up() and restore() take it away, for whoever calls them
  // says what is true.
  virtual void foresee(std::string_view run, std::string_view attempt, std::string_view tag,
                       std::span<const ObserverCharge> charges) = 0;
  // More that an attempt turned out to have shown. Each `tag` is booked once; of the charges
  // `looks` count. No limit is asked: it has happened.
  virtual void book(std::string_view run, std::string_view attempt, std::string_view tag,
                    std::span<const ObserverCharge> charges) = 0;
  // On the disk when this returns.
  [[nodiscard]] virtual Result<void> commit() = 0;
};

}  // namespace sotto
