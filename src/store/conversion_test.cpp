#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <limits>

#include "base/files.h"
#include "privacy/composition.h"
#include "support/stores.h"

// Ledgers of version 1, which kept (ε, δ) alone, are read; also those that a crash has torn.

namespace sotto {
namespace {

using testing::SizeIs;

// As version 1 made them.
constexpr const char* kVersion1 = R"(
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE runs (
  id         INTEGER PRIMARY KEY,
  run        TEXT NOT NULL UNIQUE,
  study      TEXT NOT NULL,
  study_hash TEXT NOT NULL,
  started    INTEGER NOT NULL,
  ended      INTEGER,
  state      TEXT NOT NULL CHECK (state IN ('running', 'finished', 'aborted', 'failed')),
  phase      TEXT NOT NULL,
  note       TEXT NOT NULL,
  abort      INTEGER NOT NULL CHECK (abort IN (0, 1)),
  records    INTEGER NOT NULL,
  head       BLOB NOT NULL
) STRICT;
CREATE INDEX runs_of_study ON runs (study_hash, id);
CREATE TABLE files (
  owner  INTEGER NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  path   TEXT NOT NULL,
  PRIMARY KEY (owner, number)
) STRICT;
CREATE TABLE records (
  owner  INTEGER NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL CHECK (number >= 0),
  bytes  BLOB NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (owner, number)
) STRICT;
CREATE TABLE entries (
  run     TEXT NOT NULL,
  attempt TEXT NOT NULL,
  owner   INTEGER NOT NULL REFERENCES runs (id),
  study   TEXT NOT NULL,
  data    TEXT NOT NULL,
  unit    TEXT NOT NULL,
  epsilon REAL NOT NULL CHECK (epsilon > 0),
  delta   REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
  state   TEXT NOT NULL CHECK (state IN ('reserved', 'spent', 'restored')),
  time    INTEGER NOT NULL,
  PRIMARY KEY (run, attempt)
) STRICT;
CREATE INDEX entries_of_data ON entries (data, state, unit, epsilon, delta);
CREATE INDEX entries_of_owner ON entries (owner);
CREATE UNIQUE INDEX one_release_per_run ON entries (run) WHERE state = 'spent';
CREATE TRIGGER spent_stays_spent BEFORE UPDATE ON entries WHEN OLD.state = 'spent'
BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries of the ledger stay'); END;
CREATE TABLE limits (
  data    TEXT NOT NULL PRIMARY KEY,
  epsilon REAL NOT NULL CHECK (epsilon > 0),
  delta   REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
  time    INTEGER NOT NULL
) STRICT;
CREATE INDEX limits_again ON limits (epsilon, delta, data);
PRAGMA application_id = 1936684148;
PRAGMA user_version = 1;
COMMIT;
)";

class StoreConversion : public StoreTest {
 protected:
  void make_home() const {
    std::filesystem::create_directories(home());
    ::chmod(home().c_str(), 0700);
    std::ofstream(file()).close();
    ::chmod(file().c_str(), 0600);
  }
  // A run of version 1 with one entry, in a transaction of its own.
  static std::string old_run(int number, const std::string& data, const std::string& unit,
                             const std::string& state, double epsilon = 1, double delta = 1e-6) {
    return fmt::format(
        "BEGIN; INSERT INTO runs VALUES ({0}, '{0:x}', 'energy', 'beef', 0, 1, 'finished', '', '', "
        "0, 0, x''); INSERT INTO entries VALUES ('{0:x}', '01', {0}, 'energy', '{1}', '{2}', {3}, "
        "{4}, '{5}', {0}); COMMIT;",
        number, data, unit, epsilon, delta, state);
  }
  void make_old(const std::string& sql) const {
    make_home();
    tamper(kVersion1 + sql);
  }
  [[nodiscard]] std::string bytes_of(const std::string& path) const {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(StoreConversion, AReleaseByRecordWasAGaussianOfAtMostThatShift) {
  std::string sql;
  for (int k = 1; k <= 10; ++k) sql += old_run(k, "all data", "record", "spent");
  sql += old_run(11, "all data", "record", "restored");
  make_old(sql);
  const Store store = open();
  const LedgerAccount account = store.account("all data").value();
  EXPECT_EQ(account.unit, "record");
  EXPECT_EQ(account.converted, 10U);
  EXPECT_EQ(account.colluders, 0U) << "nothing was promised against parties of the studies";
  EXPECT_FALSE(account.limit);
  // An account without a limit speaks at the δ that basic composition had come to, all runs
  // counted.
  EXPECT_NEAR(account.delta, 1.1e-5, 1e-16);
  EXPECT_GE(account.guaranteed.squares, 10 * largest_squares(1, 1e-6));
  EXPECT_NEAR(account.guaranteed.squares, 10 * largest_squares(1, 1e-6), 1e-11);
  EXPECT_NEAR(account.guaranteed.epsilon, composed_epsilon(10 * largest_squares(1, 1e-6), 1.1e-5),
              1e-9);
  ASSERT_THAT(account.observers, SizeIs(1));
  EXPECT_EQ(account.observers[0].observer, "eavesdropper");
  EXPECT_EQ(account.laplace.epsilon, 0);
  const auto entries = store.ledger().value();
  ASSERT_THAT(entries, SizeIs(11));
  EXPECT_EQ(entries[2].debit.run, "3");
  EXPECT_EQ(entries[2].time, 3);
  EXPECT_EQ(entries[10].state, EntryState::kRestored);
}

TEST_F(StoreConversion, AReleaseByEntryMayHaveBeenGtsAndTakesFromItsShare) {
  make_old(old_run(1, "costs", "entry", "spent", 0.5, 1e-6) +
           old_run(2, "costs", "entry", "spent", 0.25, 1e-6) +
           "INSERT INTO limits VALUES ('costs', 2, 1e-5, 7);");
  Store store = open();
  const LedgerAccount account = store.account("costs").value();
  EXPECT_EQ(account.laplace.epsilon, 0.75);
  EXPECT_EQ(account.guaranteed.squares, 0);
  EXPECT_EQ(account.guaranteed.epsilon, 0.75);
  ASSERT_TRUE(account.limit);
  EXPECT_EQ(*account.limit,
            (LedgerLimit{.epsilon = 2, .delta = 1e-5, .gt_epsilon = 0.75, .gt_delta = 2e-6}));
  EXPECT_NEAR(account.left->squares, largest_squares(1.25, 8e-6), 1e-12);
  // As long as no square was spent, the share may still be chosen.
  EXPECT_TRUE(
      store.set_limit("costs", {.epsilon = 2, .delta = 1e-5, .gt_epsilon = 1, .gt_delta = 3e-6}));
}

TEST_F(StoreConversion, WhatWasHeldBackStaysHeldBackAndCountsInFullWhenItsRunEnds) {
  make_old(old_run(1, "all data", "record", "reserved"));
  tamper("UPDATE runs SET state = 'running', ended = NULL");
  Store store = open();
  const double squares = store.account("all data")->guaranteed.squares;
  EXPECT_NEAR(squares, largest_squares(1, 1e-6), 1e-12);
  ASSERT_TRUE(store.abort("1", "its program was replaced"));
  EXPECT_EQ(store.ledger()->front().state, EntryState::kGivenUp);
  EXPECT_EQ(store.account("all data")->guaranteed.squares, squares);
}

// An earlier version did not write down what neighbours may release: it may have been all of it.
TEST_F(StoreConversion, WhatWasHeldBackBeforeAnythingWasForeseenCountsInFullWhenItsRunEnds) {
  const double endless = std::numeric_limits<double>::infinity();
  {
    Store store = open_with_account();
    const auto kept = journal(store);
    Debit asked = debit("01", 0.5);
    asked.charges.push_back({"neighbour", 2, 0.125});
    asked.charges.push_back({"all-neighbours", endless, endless});
    ASSERT_TRUE(kept->reserve(asked));
    ASSERT_TRUE(kept->reserve(debit("02", 0.25)));
    asked.attempt = "03";
    ASSERT_TRUE(kept->reserve(asked));
    ASSERT_TRUE(kept->commit());
  }
  tamper("DROP TABLE foreseen");
  Store store = open();
  const auto kept = journal(store);
  kept->give_up("a1", "03");
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.75) << "its session knows better";
  ASSERT_TRUE(store.abort("a1", "its program was replaced"));
  const auto entries = store.ledger().value();
  EXPECT_EQ(entries[0].state, EntryState::kGivenUp);
  EXPECT_EQ(entries[1].state, EntryState::kRestored) << "nobody can have seen anything of it";
  EXPECT_THAT(store::counted_squares(entries[0], "eavesdropper").value(),
              testing::ElementsAre(0, 0.5));
  EXPECT_THAT(store::counted_squares(entries[0], "neighbour").value(),
              testing::ElementsAre(0.125, 1.875));
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.5);
}

TEST_F(StoreConversion, LimitsStayAndANewRunIsAddedToTheOldOnes) {
  std::string sql = "INSERT INTO limits VALUES ('all data', 10, 1e-5, 7);";
  sql += "INSERT INTO limits VALUES ('untouched', 3, 0, 7);";
  for (int k = 1; k <= 9; ++k) sql += old_run(k, "all data", "record", "spent");
  make_old(sql);
  Store store = open();
  EXPECT_THAT(store.accounts().value(), SizeIs(2));
  EXPECT_EQ(store.account("untouched")->left->squares, 0) << "at δ = 0 nothing Gaussian fits";
  int more = 0;
  for (int k = 100; k < 200; ++k) {
    const std::string run = fmt::format("{:x}", k);
    const auto kept = journal(store, run);
    if (!kept->reserve(debit("01", largest_squares(1, 1e-6), 0, run, "all data"))) break;
    kept->spend(run, "01");
    ASSERT_TRUE(kept->commit());
    ++more;
  }
  EXPECT_EQ(more, 71 - 9);
}

TEST_F(StoreConversion, HappensOnceAndKeepsRunsAndRecords) {
  make_old(old_run(1, "all data", "record", "spent"));
  for (int k = 0; k < 3; ++k) {
    const Store store = open();
    EXPECT_THAT(store.ledger().value(), SizeIs(1));
    EXPECT_EQ(store.run("1")->study, "energy");
    EXPECT_TRUE(store.ledger()->front().converted);
  }
}

TEST_F(StoreConversion, AnEntryThatVersion1CannotHaveWrittenIsDamage) {
  make_old(old_run(1, "all data", "record", "spent"));
  tamper(
      "PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; DROP TRIGGER "
      "spent_stays_spent; UPDATE entries SET epsilon = -1.0");
  EXPECT_EQ(name_of(Store::open(home(), [] { return 0; })), "E-store-corrupt");
  tamper("SELECT data FROM limits");  // still version 1's
}

TEST_F(StoreConversion, ALimitThatVersion1CannotHaveWrittenIsDamage) {
  make_old("INSERT INTO limits VALUES ('all data', 9e999, 1e-5, 7);");
  EXPECT_EQ(name_of(Store::open(home(), [] { return 0; })), "E-store-corrupt");
  tamper("UPDATE limits SET epsilon = 1");
  EXPECT_EQ(name_of(Store::open(home(), [] { return 0; })), "");
}

// The power went while version 1 wrote its last entry: the log ends anywhere in it. What had been
// committed before is there, whole; the last entry is there or not.
TEST_F(StoreConversion, ATornLastEntryIsThereOrNotAndNothingElseIsLost) {
  make_home();
  const std::string log = file() + "-wal";
  std::string whole;
  std::string torn;
  std::string main;
  {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
    const auto run = [&](const std::string& sql) {
      ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
          << sqlite3_errmsg(handle);
    };
    run(kVersion1);
    for (int k = 1; k <= 3; ++k) run(old_run(k, "all data", "record", "spent"));
    whole = bytes_of(log);
    run(old_run(4, "all data", "record", "spent"));
    torn = bytes_of(log);
    main = bytes_of(file());
    sqlite3_close(handle);
  }
  ASSERT_GT(torn.size(), whole.size());
  for (std::size_t length = whole.size(); length <= torn.size(); length += 509) {
    const bool complete = length == torn.size();
    std::filesystem::remove_all(home());
    make_home();
    std::ofstream(file(), std::ios::binary) << main;
    std::ofstream(log, std::ios::binary) << torn.substr(0, length);
    ::chmod(log.c_str(), 0600);
    const Store store = open();
    const auto entries = store.ledger().value();
    ASSERT_THAT(entries, SizeIs(complete ? 4 : 3)) << length;
    EXPECT_NEAR(store.account("all data")->guaranteed.squares,
                static_cast<double>(entries.size()) * largest_squares(1, 1e-6), 1e-11);
  }
}

// A file that was cut off, by a copy that did not end: an error for people, and not a byte changed.
TEST_F(StoreConversion, AFileThatWasCutOffIsAnErrorAndIsLeftAlone) {
  std::string sql;
  for (int k = 1; k <= 200; ++k) sql += old_run(k, "all data", "record", "spent");
  make_old(sql);
  const std::string whole = bytes_of(file());
  ASSERT_GT(whole.size(), 60'000U);
  int told = 0;
  for (std::size_t length = 100; length < whole.size(); length += 4096 / 3) {
    std::filesystem::remove_all(home());
    make_home();
    std::ofstream(file(), std::ios::binary) << whole.substr(0, length);
    const auto store = Store::open(home(), [] { return 0; });
    ASSERT_FALSE(store) << length;
    EXPECT_THAT(store.error().name, testing::AnyOf("E-store-corrupt", "E-store-foreign"));
    EXPECT_FALSE(store.error().fix.empty());
    EXPECT_TRUE(bytes_of(file()) == whole.substr(0, length)) << length;
    ++told;
  }
  EXPECT_GT(told, 40);
}

}  // namespace
}  // namespace sotto
