// The tables of party.db, whether those in a file are ours, and how an earlier version's become
// ours.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "privacy/composition.h"
#include "store/ledger.h"

namespace sotto::store {
namespace {

constexpr std::int64_t kApplication = 0x736f7474;  // "sott"

// `owner` is the stored run on whose behalf an entry was made. `records` and `head`, the
// digest of the last record, tell a journal that lost its end from a short one.
constexpr const char* kRunTables = R"(
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
)";

// By what all parties call a run. Versions of sotto that do not know the table leave it alone, so
// it needs no version of its own.
constexpr const char* kNameTable = R"(
CREATE TABLE names (
  owner  INTEGER PRIMARY KEY REFERENCES runs (id),
  shared TEXT NOT NULL
) STRICT;
)";

// What is to be booked of an entry that is held back if its run ends and nobody moves it. Like
// `names`, no version of its own.
constexpr const char* kForeseenTable = R"(
CREATE TABLE foreseen (
  run      TEXT NOT NULL,
  attempt  TEXT NOT NULL,
  tag      TEXT NOT NULL,
  observer TEXT NOT NULL,
  looks    REAL NOT NULL CHECK (looks >= 0),
  PRIMARY KEY (run, attempt, tag, observer),
  FOREIGN KEY (run, attempt) REFERENCES entries (run, attempt)
) STRICT;
CREATE INDEX foreseen_again ON foreseen (run, attempt, tag, observer, looks);
CREATE TRIGGER foreseen_stays_the_same BEFORE UPDATE ON foreseen
BEGIN SELECT RAISE(ABORT, 'what the ledger foresees stays'); END;
CREATE TRIGGER foreseen_stays BEFORE DELETE ON foreseen WHEN EXISTS (SELECT 1 FROM entries
  WHERE entries.run = OLD.run AND entries.attempt = OLD.attempt AND state = 'reserved')
BEGIN SELECT RAISE(ABORT, 'what the ledger foresees stays while it is held back'); END;
)";

// What earlier versions held back says not whether it was ready, and so whether neighbours may
// release it. Looks and their releases are less than what is held back: all of that is booked, if
// nobody who knows better says what it was.
constexpr const char* kForeseenOfBefore = R"(
INSERT INTO foreseen (run, attempt, tag, observer, looks)
SELECT run, attempt, 'of-an-earlier-version', observer, iif(released > looks, released - looks, 0.0)
FROM entries JOIN charges USING (run, attempt)
WHERE state = 'reserved' AND (shown OR EXISTS (SELECT 1 FROM charges AS others
  WHERE others.run = entries.run AND others.attempt = entries.attempt AND others.looks > 0));
)";

// The triggers keep what the ledger rests on, whoever writes the SQL; its indices hold every
// amount a second time, so that a flipped bit shows. An account without `epsilon` has no limit.
constexpr const char* kLedgerTables = R"(
CREATE TABLE accounts (
  data       TEXT NOT NULL PRIMARY KEY,
  epsilon    REAL CHECK (epsilon > 0),
  delta      REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
  gt_epsilon REAL NOT NULL CHECK (gt_epsilon >= 0),
  gt_delta   REAL NOT NULL CHECK (gt_delta >= 0 AND gt_delta < 1),
  made       INTEGER NOT NULL,
  changed    INTEGER,
  changes    INTEGER NOT NULL CHECK (changes >= 0)
) STRICT;
CREATE INDEX accounts_again ON accounts (epsilon, delta, gt_epsilon, gt_delta, changes, data);
CREATE TRIGGER accounts_stay BEFORE DELETE ON accounts
BEGIN SELECT RAISE(ABORT, 'accounts of the ledger stay'); END;

CREATE TABLE entries (
  run             TEXT NOT NULL,
  attempt         TEXT NOT NULL,
  owner           INTEGER NOT NULL REFERENCES runs (id),
  study           TEXT NOT NULL,
  data            TEXT NOT NULL REFERENCES accounts (data),
  unit            TEXT NOT NULL,
  epsilon         REAL NOT NULL CHECK (epsilon > 0),
  delta           REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
  guaranteed      TEXT NOT NULL,
  colluders       INTEGER NOT NULL CHECK (colluders >= 0),
  laplace_epsilon REAL NOT NULL CHECK (laplace_epsilon >= 0),
  laplace_delta   REAL NOT NULL CHECK (laplace_delta >= 0 AND laplace_delta < 1),
  excess_delta    REAL NOT NULL CHECK (excess_delta >= 0 AND excess_delta < 1),
  state           TEXT NOT NULL CHECK (state IN ('reserved', 'spent', 'restored', 'given-up')),
  shown           INTEGER NOT NULL CHECK (shown IN (0, 1)),
  converted       INTEGER NOT NULL CHECK (converted IN (0, 1)),
  time            INTEGER NOT NULL,
  PRIMARY KEY (run, attempt)
) STRICT;
CREATE INDEX entries_of_data ON entries (data, state, unit, epsilon, delta, guaranteed, colluders,
  laplace_epsilon, laplace_delta, excess_delta, shown, converted);
CREATE INDEX entries_of_owner ON entries (owner);
CREATE UNIQUE INDEX one_release_per_run ON entries (run) WHERE state = 'spent';
CREATE TRIGGER spent_stays_spent BEFORE UPDATE ON entries WHEN OLD.state = 'spent'
BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END;
CREATE TRIGGER shown_stays_shown BEFORE UPDATE ON entries
WHEN OLD.shown AND (NEW.state = 'restored' OR NOT NEW.shown)
BEGIN SELECT RAISE(ABORT, 'what was shown was shown'); END;
CREATE TRIGGER amounts_stay BEFORE UPDATE OF run, attempt, data, unit, epsilon, delta, guaranteed,
  colluders, laplace_epsilon, laplace_delta, excess_delta ON entries
BEGIN SELECT RAISE(ABORT, 'amounts of the ledger stay'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries of the ledger stay'); END;

CREATE TABLE charges (
  run      TEXT NOT NULL,
  attempt  TEXT NOT NULL,
  observer TEXT NOT NULL,
  released REAL NOT NULL CHECK (released >= 0),
  looks    REAL NOT NULL CHECK (looks >= 0),
  PRIMARY KEY (run, attempt, observer),
  FOREIGN KEY (run, attempt) REFERENCES entries (run, attempt)
) STRICT;
CREATE INDEX charges_again ON charges (run, attempt, observer, released, looks);
CREATE TRIGGER charges_stay_the_same BEFORE UPDATE ON charges
BEGIN SELECT RAISE(ABORT, 'charges of the ledger stay'); END;
CREATE TRIGGER charges_stay BEFORE DELETE ON charges
BEGIN SELECT RAISE(ABORT, 'charges of the ledger stay'); END;

CREATE TABLE bookings (
  run      TEXT NOT NULL,
  attempt  TEXT NOT NULL,
  tag      TEXT NOT NULL,
  observer TEXT NOT NULL,
  looks    REAL NOT NULL CHECK (looks >= 0),
  PRIMARY KEY (run, attempt, tag, observer),
  FOREIGN KEY (run, attempt) REFERENCES entries (run, attempt)
) STRICT;
CREATE INDEX bookings_again ON bookings (run, attempt, tag, observer, looks);
CREATE TRIGGER bookings_stay_the_same BEFORE UPDATE ON bookings
BEGIN SELECT RAISE(ABORT, 'bookings of the ledger stay'); END;
CREATE TRIGGER bookings_stay BEFORE DELETE ON bookings
BEGIN SELECT RAISE(ABORT, 'bookings of the ledger stay'); END;
)";

Result<std::int64_t> number_from(const Database& database, std::string_view sql) {
  SOTTO_ASSIGN(auto rows, database.query(sql));
  SOTTO_ASSIGN(const bool row, rows.step());
  return row ? rows.integer(0) : 0;
}

Result<bool> has_table(const Database& database, std::string_view name) {
  SOTTO_ASSIGN(
      auto rows,
      database.query("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", name));
  SOTTO_ASSIGN(const bool row, rows.step());
  return row && rows.integer(0) != 0;
}

// What the ledger rests on is small, and looked at as a whole each time.
Result<void> check_tables(const Database& database, std::initializer_list<const char*> tables) {
  for (const char* table : tables) {
    SOTTO_ASSIGN(auto rows, database.query(fmt::format("PRAGMA integrity_check({})", table)));
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row || rows.bytes(0) != "ok") return corrupt(database, rows.bytes(0));
  }
  return {};
}

Result<void> stamp(Database& database) {
  const std::string stamp = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                        kApplication, kSchemaVersion);
  return database.script(stamp.c_str());
}

// Version 1 kept (ε, δ) alone, and its accounts were whatever name was debited or limited.
struct OldEntry {
  LedgerEntry entry;
  std::int64_t owner = 0;
};

bool is_amount(double epsilon, double delta) {
  return std::isfinite(epsilon) && epsilon > 0 && delta >= 0 && delta < 1;
}

Result<std::vector<OldEntry>> read_old_entries(const Database& database) {
  SOTTO_ASSIGN(auto rows,
               database.query("SELECT run, attempt, owner, study, data, unit, epsilon, delta, "
                              "state, time FROM entries ORDER BY rowid"));
  std::vector<OldEntry> entries;
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return entries;
    OldEntry& old = entries.emplace_back();
    old.owner = rows.integer(2);
    Debit& debit = old.entry.debit;
    debit.run = rows.bytes(0);
    debit.attempt = rows.bytes(1);
    debit.study = rows.bytes(3);
    debit.data = rows.bytes(4);
    debit.unit = rows.bytes(5);
    debit.epsilon = rows.real(6);
    debit.delta = rows.real(7);
    const auto state = kEntryStates.find(rows.bytes(8));
    old.entry.time = rows.integer(9);
    if (!state || !is_amount(debit.epsilon, debit.delta) || !is_time(old.entry.time)) {
      return corrupt(database, "an entry of the earlier ledger is none");
    }
    old.entry.state = *state;
  }
}

// A release by record was Gaussian, with a shift of at most κ̄_ε(δ). One by entry may have been
// gt's: it counts as (ε, δ). What anybody but an eavesdropper saw was not written down. An attempt
// that was held back may have shown something: given up, it counts in full.
void convert(LedgerEntry& entry) {
  Debit& debit = entry.debit;
  entry.converted = true;
  debit.guaranteed = "eavesdropper";
  double squares = 0;
  const auto budget = Budget::make(debit.epsilon, debit.delta);
  if (debit.unit != "entry" && budget) {
    squares = squares_at_most(*budget);
  } else {
    debit.laplace_epsilon = debit.epsilon;
    debit.laplace_delta = debit.delta;
  }
  debit.charges = {{debit.guaranteed, squares, squares}};
}

// An account without a limit states its ε at the δ that basic composition came to.
constexpr double kOldDelta = 1e-6;
constexpr double kOldDeltaAtMost = 0.5;

struct OldAccount {
  std::optional<LedgerLimit> limit;
  Rational delta = 0;  // Σδ
  Rational gt_epsilon = 0;
  Rational gt_delta = 0;
  std::int64_t time = 0;
};

Result<std::map<std::string, OldAccount>> read_old_accounts(const Database& database,
                                                            const std::vector<OldEntry>& entries) {
  std::map<std::string, OldAccount> accounts;
  for (const auto& [entry, owner] : entries) {
    OldAccount& account = accounts[entry.debit.data];
    account.delta += Rational(entry.debit.delta);
    account.time = std::max(account.time, entry.time);
    if (entry.state == EntryState::kRestored) continue;
    account.gt_epsilon += Rational(entry.debit.laplace_epsilon);
    account.gt_delta += Rational(entry.debit.laplace_delta);
  }
  SOTTO_ASSIGN(auto rows, database.query("SELECT data, epsilon, delta, time FROM limits"));
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return accounts;
    OldAccount& account = accounts[rows.bytes(0)];
    const LedgerLimit limit{.epsilon = rows.real(1), .delta = rows.real(2)};
    if (!is_amount(limit.epsilon, limit.delta)) {
      return corrupt(database, "a limit of the earlier ledger is none");
    }
    account.limit = limit;
    account.time = std::max(account.time, rows.integer(3));
  }
}

// The Laplace share becomes what is spent of it: all that comes is Gaussian, and the squares begin
// at 0, so this is no trade afterwards (docs/proofs/ledger.md).
Result<void> insert_old_account(Database& database, const std::string& data,
                                const OldAccount& account) {
  const double delta = account.limit       ? account.limit->delta
                       : account.delta > 0 ? std::min(double_above(account.delta), kOldDeltaAtMost)
                                           : kOldDelta;
  const double gt_epsilon = account.limit ? double_above(account.gt_epsilon) : 0;
  if (!std::isfinite(gt_epsilon)) {
    return corrupt(database, "entries of the earlier ledger come to more than any number");
  }
  const double gt_delta =
      account.limit ? std::min(double_above(account.gt_delta), kOldDeltaAtMost) : 0;
  SOTTO_TRY(database.change(
      "INSERT INTO accounts (data, epsilon, delta, gt_epsilon, gt_delta, made, changes) VALUES (?, "
      "nullif(?, 0.0), ?, ?, ?, ?, 0)",
      data, account.limit ? account.limit->epsilon : 0.0, delta, gt_epsilon, gt_delta,
      account.time));
  return {};
}

Result<void> convert_version_1(Database& database) {
  SOTTO_TRY(check_tables(database, {"runs", "entries", "limits"}));
  SOTTO_ASSIGN(auto entries, read_old_entries(database));
  for (OldEntry& old : entries) convert(old.entry);
  SOTTO_ASSIGN(const auto accounts, read_old_accounts(database, entries));
  SOTTO_TRY(database.script("DROP TABLE entries; DROP TABLE limits;"));
  SOTTO_TRY(database.script(kLedgerTables));
  for (const auto& [data, account] : accounts) {
    SOTTO_TRY(insert_old_account(database, data, account));
  }
  for (const auto& [entry, owner] : entries) SOTTO_TRY(insert_entry(database, owner, entry));
  return stamp(database);
}

}  // namespace

Result<void> prepare_schema(Database& database) {
  SOTTO_ASSIGN(auto transaction, Transaction::begin(database));
  SOTTO_ASSIGN(const auto tables, number_from(database, "SELECT count(*) FROM sqlite_schema"));
  SOTTO_ASSIGN(const auto application, number_from(database, "PRAGMA application_id"));
  SOTTO_ASSIGN(const auto version, number_from(database, "PRAGMA user_version"));
  if (tables == 0 && application == 0 && version == 0) {
    for (const char* made : {kRunTables, kLedgerTables, kNameTable, kForeseenTable}) {
      SOTTO_TRY(database.script(made));
    }
    SOTTO_TRY(stamp(database));
    return transaction.commit();
  }
  if (application != kApplication || version < 1) {
    return failed("E-store-foreign",
                  fmt::format("{} is another program's database", database.path()),
                  "name another home folder, or move the file away");
  }
  if (version > kSchemaVersion) {
    return failed("E-store-newer",
                  fmt::format("{} was written by a later version of sotto", database.path()),
                  "use that version, or a later one");
  }
  SOTTO_ASSIGN(const bool names, has_table(database, "names"));
  SOTTO_ASSIGN(const bool foreseen, has_table(database, "foreseen"));
  if (version == 1) {
    SOTTO_TRY(convert_version_1(database));
  } else {
    SOTTO_TRY(check_tables(database, {"runs", "accounts", "entries", "charges", "bookings"}));
    if (foreseen) SOTTO_TRY(check_tables(database, {"foreseen"}));
  }
  if (!names) SOTTO_TRY(database.script(kNameTable));
  if (!foreseen) {
    SOTTO_TRY(database.script(kForeseenTable));
    SOTTO_TRY(database.script(kForeseenOfBefore));
  }
  return names && foreseen && version != 1 ? Result<void>() : transaction.commit();
}

}  // namespace sotto::store
