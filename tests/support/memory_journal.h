#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session/journal.h"

namespace sotto {

// A journal in memory, for simulated parties: a crash is a call, and what happened to
// the ledger is counted. It keeps the same promises as the one on the disk, and a test
// runs both through the same moves.
class MemoryJournal final : public Journal {
 public:
  [[nodiscard]] Result<std::vector<std::string>> records() const override { return records_; }
  void append(std::string_view record) override;
  [[nodiscard]] Result<void> reserve(const Debit& debit) override;
  void spend(std::string_view run, std::string_view attempt) override;
  void give_up(std::string_view run, std::string_view attempt) override;
  void restore(std::string_view run, std::string_view attempt) override;
  void foresee(std::string_view run, std::string_view attempt, std::string_view tag,
               std::span<const ObserverCharge> charges) override;
  void book(std::string_view run, std::string_view attempt, std::string_view tag,
            std::span<const ObserverCharge> charges) override;
  [[nodiscard]] Result<void> commit() override;

  // The process dies: what was staged since the last commit is gone, what was committed stays.
  void crash();

  // The run is ended by somebody who is not in it: what it still holds back is given up, with what
  // was foreseen, or free again if it has no looks. As Store::abort does it.
  void end_from_outside(const std::string& run);

  // From now on reserve() is refused[E-ledger-overdrawn], as by a ledger with nothing left.
  void refuse_reserves(bool refuse) { refuse_reserves_ = refuse; }
  // The most that the guaranteed observer's squares may come to; a reserve() beyond it is
  // refused[E-ledger-overdrawn].
  void set_limit(double squares) { limit_ = squares; }
  // From now on commit() is failed[E-store-full]: what was staged stays staged.
  void fail_commits(bool fail) { fail_commits_ = fail; }

  // How often a committed move changed an attempt's state.
  struct Moves {
    int reserved = 0;
    int spent = 0;
    int given_up = 0;
    int restored = 0;
    int booked = 0;  // tags
  };
  [[nodiscard]] Moves moves(const std::string& run, const std::string& attempt) const;
  // Of all attempts of a run together: `spent` is how often the run was debited.
  [[nodiscard]] Moves moves(const std::string& run) const;
  // Attempts of the run that hold something back now.
  [[nodiscard]] int held(const std::string& run) const;
  // What an observer's squares come to, reserved, spent, given up and booked, as committed: of one
  // run, and of all.
  [[nodiscard]] double squares(const std::string& run, const std::string& observer) const {
    return sum(entries_, run, observer);
  }
  [[nodiscard]] double total(const std::string& observer) const {
    return sum(entries_, "", observer);
  }
  // What was booked of an attempt beside its own charges: tags.
  [[nodiscard]] std::set<std::string> booked(const std::string& run,
                                             const std::string& attempt) const;
  // Whether no guaranteed observer's total is beyond the limit.
  [[nodiscard]] bool within_limit() const;
  // Bytes of all records that are kept.
  [[nodiscard]] std::size_t bytes() const;
  // Commits that had something to write.
  [[nodiscard]] int commits() const { return commits_; }

 private:
  enum class Hold { kReserved, kSpent, kRestored, kGivenUp };
  struct Entry {
    Debit debit;
    Hold hold = Hold::kRestored;
    bool shown = false;  // its looks were booked once, and stay
    std::map<std::string, std::vector<ObserverCharge>> bookings;  // by tag
    std::map<std::string, std::vector<ObserverCharge>> foreseen;
    Moves moves;
  };
  using Entries = std::map<std::pair<std::string, std::string>, Entry>;  // by run and attempt
  [[nodiscard]] static double sum(const Entries& entries, const std::string& run,
                                  const std::string& observer);
  [[nodiscard]] Entry* staged(std::string_view run, std::string_view attempt);
  [[nodiscard]] bool another_is_spent(const std::string& run, const std::string& attempt) const;

  std::vector<std::string> records_;
  Entries entries_;
  std::vector<std::string> staged_records_;
  Entries staged_entries_;  // all of them, as they will be
  bool moved_ = false;
  bool second_spend_ = false;
  bool refuse_reserves_ = false;
  double limit_ = std::numeric_limits<double>::infinity();
  bool fail_commits_ = false;
  int commits_ = 0;
};

}  // namespace sotto
