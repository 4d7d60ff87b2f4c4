#pragma once

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

// What a release costs, for the ledger.
struct Debit {
  std::string run;      // hexadecimal; a run is debited once, however often this is asked for
  std::string attempt;  // hexadecimal; which set of parties the value is sealed for
  std::string study;    // its name
  std::string data;     // what was released about: a digest of the table, or a name
  std::string unit;     // record | entry
  double epsilon = 0;
  double delta = 0;
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
  // Holds the amount back; refused[E-ledger-overdrawn] if the ledger's limit would be passed, and
  // then nothing is staged. The same run and attempt again changes nothing.
  [[nodiscard]] virtual Result<void> reserve(const Debit& debit) = 0;
  // The attempt's value is about to leave: what was held back is spent, for ever.
  virtual void spend(std::string_view run, std::string_view attempt) = 0;
  // The attempt ended before anything left: what was held back is free again.
  virtual void restore(std::string_view run, std::string_view attempt) = 0;
  // On the disk when this returns.
  [[nodiscard]] virtual Result<void> commit() = 0;
};

}  // namespace sotto
