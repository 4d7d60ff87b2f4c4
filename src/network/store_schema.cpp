#include "network/store_schema.h"

#include <fmt/format.h>

namespace sotto {
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

Result<std::int64_t> number(const Database& database, std::string_view sql) {
  auto rows = database.query(sql);
  if (!rows) return tl::unexpected(rows.error());
  const auto row = rows->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? rows->integer(0) : 0;
}

// What the ledger rests on is small, and looked at as a whole each time.
Result<void> check_ledger(const Database& database) {
  for (const char* table : {"runs", "entries", "limits"}) {
    auto rows = database.query(fmt::format("PRAGMA integrity_check({})", table));
    if (!rows) return tl::unexpected(rows.error());
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row || rows->bytes(0) != "ok") return store_is_corrupt(database.path(), rows->bytes(0));
  }
  return {};
}

}  // namespace

Result<void> prepare_schema(Database& database) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return tl::unexpected(transaction.error());
  const auto tables = number(database, "SELECT count(*) FROM sqlite_schema");
  const auto application = number(database, "PRAGMA application_id");
  const auto version = number(database, "PRAGMA user_version");
  for (const auto* found : {&tables, &application, &version}) {
    if (!*found) return tl::unexpected(found->error());
  }
  if (*tables == 0 && *application == 0 && *version == 0) {
    auto made = database.script(kTables);
    if (!made) return made;
    const std::string stamp = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                          kApplication, kStoreVersion);
    made = database.script(stamp.c_str());
    if (!made) return made;
    return transaction->commit();
  }
  if (*application != kApplication || *version < 1) {
    return failed("E-store-foreign",
                  fmt::format("{} is another program's database", database.path()),
                  "name another home folder, or move the file away");
  }
  if (*version > kStoreVersion) {
    return failed("E-store-newer",
                  fmt::format("{} was written by a later version of sotto", database.path()),
                  "use that version, or a later one");
  }
  return check_ledger(database);
}

}  // namespace sotto
