#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/journal.h"
#include "store/files.h"
#include "store/ledger.h"

namespace sotto {

// Seconds since 1970. Time is an argument, like randomness.
using UnixClock = std::function<std::int64_t()>;

// The system's clock.
[[nodiscard]] std::int64_t unix_seconds();

// The first twelve digits: what people call a run by.
[[nodiscard]] std::string short_run(const std::string& run);

struct StoredRun {
  std::string run;     // hexadecimal: this party's own name for it
  std::string shared;  // every party's name for it; empty before all have met
  std::string study;
  std::string study_hash;
  std::int64_t started = 0;
  std::optional<std::int64_t> ended;
  RunState state = RunState::kRunning;
  std::string phase;               // for a person: "waiting for south"
  std::vector<std::string> files;  // what a finished run left behind
  std::string note;                // why it ended
  bool abort_requested = false;
};

// What people call it by: every party's name, or before all have met this party's own.
[[nodiscard]] inline const std::string& public_id(const StoredRun& run) {
  return run.shared.empty() ? run.run : run.shared;
}

// The last run of a study that is still to be ended, and the last one that was finished.
struct StudyRuns {
  std::optional<StoredRun> unfinished;
  std::optional<StoredRun> finished;
};

// What a party remembers: runs, their journals, and the ledger. One SQLite file,
// HOME/party.db, that only its owner may read. Invariants:
//
//  1. After a crash at any instant the file is as after the last commit that returned,
//     or one that was under way: never in between.
//  2. A journal's records are never changed, and removed only when the run has ended: overwritten,
//     for they hold the key that its noise came from, and gone from the write-ahead log too: at
//     once, or when the file is opened next if another process was reading it. Each is tied to
//     those before it by a digest, so damage is found before it is used.
//  3. An entry of the ledger that was spent stays spent, and what was shown stays booked.
//  4. A run that has ended reserves and spends nothing any more.
//
// One thread at a time, and not across a fork; several processes may have it open.
class Store {
 public:
  // Makes folder (mode 0700) and file (0600) if they are missing. E-store-open, -mode,
  // -read-only, -full, -busy, -foreign, -newer, -corrupt, -io; any other call may
  // return the last four as well.
  [[nodiscard]] static Result<Store> open(const std::string& home, UnixClock clock);
  [[nodiscard]] static bool exists(const std::string& home);

  // The same rules without a file, for accounts that one process keeps for itself: gone with the
  // last that holds it. It has no locks.
  [[nodiscard]] static Result<Store> in_memory(UnixClock clock);

  // At most one process has the lock of a run, or of whatever else the hexadecimal
  // `key` stands for. failed[E-store-busy] names the process that has it.
  [[nodiscard]] Result<StoreLock> lock(const std::string& key) const;
  // The same for those who ask who it is.
  [[nodiscard]] Result<std::variant<StoreLock, LockHolder>> try_lock(const std::string& key) const;

  // A new run in state running. E-run-id: not hexadecimal, or there already.
  [[nodiscard]] Result<void> begin_run(const std::string& run, const std::string& study,
                                       const std::string& study_hash);
  [[nodiscard]] Result<StudyRuns> runs_of_study(const std::string& study_hash) const;
  [[nodiscard]] Result<StoredRun> run(const std::string& run) const;  // E-run-unknown
  [[nodiscard]] Result<std::vector<StoredRun>> runs() const;          // in the order they began

  // Gives a run every party's name for it. Another name takes the place of an earlier one: whoever
  // takes part is part of it.
  [[nodiscard]] Result<void> share_name(const std::string& run, const std::string& shared);

  // Of a run that is running; otherwise E-run-ended.
  [[nodiscard]] Result<void> set_phase(const std::string& run, const std::string& phase);

  // The end of a run; what it still holds back in the ledger is given up: its looks are booked,
  // because nobody can tell whether its offers were answered, with what its session foresaw, and
  // the rest is free again, because no value of it can leave any more (invariant 4). To end a run
  // in the way it has ended already changes nothing; in another way is E-run-ended.
  [[nodiscard]] Result<void> finish(const std::string& run, const std::vector<std::string>& files,
                                    const std::string& note = {}) {
    return end(run, RunState::kFinished, files, note);
  }
  [[nodiscard]] Result<void> fail(const std::string& run, const std::string& note) {
    return end(run, RunState::kFailed, {}, note);
  }
  [[nodiscard]] Result<void> abort(const std::string& run, const std::string& note) {
    return end(run, RunState::kAborted, {}, note);
  }

  // Asks the process that is in the run to stop; it looks from time to time.
  [[nodiscard]] Result<void> request_abort(const std::string& run);
  [[nodiscard]] Result<bool> abort_requested(const std::string& run) const;

  // The journal of a run that has begun. It may outlive the store. After commit() has
  // failed, what was staged stays staged, and commit() may be tried again. commit() is
  // refused[E-ledger-overdrawn] too if another run took what was left in the meantime,
  // and failed[E-run-ended] if it moves the ledger for a run that has ended.
  [[nodiscard]] Result<std::unique_ptr<Journal>> journal(const std::string& run);

  // In the order they came; by name.
  [[nodiscard]] Result<std::vector<LedgerEntry>> ledger() const {
    return store::read_entries(*database_);
  }
  [[nodiscard]] Result<std::vector<LedgerAccount>> accounts() const {
    return store::read_accounts(*database_);
  }
  [[nodiscard]] Result<LedgerAccount> account(const std::string& data) const {
    return store::read_account(*database_, data);
  }
  // As it would stand with this reserved besides.
  [[nodiscard]] Result<LedgerAccount> account_with(const Debit& debit) const {
    return store::read_account(*database_, debit.data, &debit);
  }
  // Accounts are made on purpose: nothing is debited from one that nobody made.
  [[nodiscard]] Result<void> new_account(const std::string& data, const LedgerLimit& limit) {
    return store::make_account(*database_, data, limit.delta, limit, clock_());
  }
  // It states what was spent at `delta`, and promises nothing about what comes.
  [[nodiscard]] Result<void> new_account_without_limit(const std::string& data, double delta) {
    return store::make_account(*database_, data, delta, std::nullopt, clock_());
  }
  [[nodiscard]] Result<void> set_limit(const std::string& data, const LedgerLimit& limit);
  // Whether a run that costs this could be reserved now: E-ledger-overdrawn, E-ledger-unit,
  // E-account-unknown. Changes nothing.
  [[nodiscard]] Result<void> affords(const Debit& debit) const {
    return store::check_affordable(*database_, debit);
  }

 private:
  Store(std::string home, UnixClock clock, std::shared_ptr<store::Database> database)
      : home_(std::move(home)), clock_(std::move(clock)), database_(std::move(database)) {}
  [[nodiscard]] Result<std::vector<StoredRun>> select(const std::string& where,
                                                      const std::string& argument) const;
  // What ties a journal's records together: the digest before the first one.
  [[nodiscard]] static std::string journal_head(const std::string& run);
  [[nodiscard]] Result<std::int64_t> row_number(const std::string& run) const;
  [[nodiscard]] Result<void> end(const std::string& run, RunState state,
                                 const std::vector<std::string>& files, const std::string& note);
  [[nodiscard]] Result<void> write_end(const std::string& run, RunState state,
                                       const std::vector<std::string>& files,
                                       const std::string& note);

  std::string home_;
  UnixClock clock_;
  std::shared_ptr<store::Database> database_;
};

}  // namespace sotto
