// The tables of party.db, and whether those in a file are ours.

#include <fmt/format.h>

#include "store/database.h"

namespace sotto::store {
namespace {

constexpr std::int64_t kApplication = 0x736f7474;  // "sott"

// `owner` is the stored run on whose behalf an entry was made. `records` and `head`, the
// digest of the last record, tell a journal that lost its end from a short one. The
// triggers keep what the ledger rests on, whoever writes the SQL; its indices hold every
// amount a second time, so that a flipped bit shows.
constexpr const char* kTables = R"(
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
)";

Result<std::int64_t> number_from(const Database& database, std::string_view sql) {
  SOTTO_ASSIGN(auto rows, database.query(sql));
  SOTTO_ASSIGN(const bool row, rows.step());
  return row ? rows.integer(0) : 0;
}

// What the ledger rests on is small, and looked at as a whole each time.
Result<void> check_ledger(const Database& database) {
  for (const char* table : {"runs", "entries", "limits"}) {
    SOTTO_ASSIGN(auto rows, database.query(fmt::format("PRAGMA integrity_check({})", table)));
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row || rows.bytes(0) != "ok") return corrupt(database, rows.bytes(0));
  }
  return {};
}

}  // namespace

Result<void> prepare_schema(Database& database) {
  SOTTO_ASSIGN(auto transaction, Transaction::begin(database));
  SOTTO_ASSIGN(const auto tables, number_from(database, "SELECT count(*) FROM sqlite_schema"));
  SOTTO_ASSIGN(const auto application, number_from(database, "PRAGMA application_id"));
  SOTTO_ASSIGN(const auto version, number_from(database, "PRAGMA user_version"));
  if (tables == 0 && application == 0 && version == 0) {
    SOTTO_TRY(database.script(kTables));
    const std::string stamp = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                          kApplication, kSchemaVersion);
    SOTTO_TRY(database.script(stamp.c_str()));
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
  return check_ledger(database);
}

}  // namespace sotto::store
