#pragma once

// A ledger of version 1, which kept (ε, δ) alone: what is read once, when a newer sotto opens it.

#include <sqlite3.h>

#include "fuzz/store_files.h"

namespace sotto::fuzz {

// As version 1 made it (store/conversion_test.cpp), with runs of every state on both kinds of
// account.
constexpr const char* kVersion1 = R"(
CREATE TABLE runs (id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, study TEXT NOT NULL,
  study_hash TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER,
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'aborted', 'failed')),
  phase TEXT NOT NULL, note TEXT NOT NULL, abort INTEGER NOT NULL CHECK (abort IN (0, 1)),
  records INTEGER NOT NULL, head BLOB NOT NULL) STRICT;
CREATE INDEX runs_of_study ON runs (study_hash, id);
CREATE TABLE files (owner INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL,
  path TEXT NOT NULL, PRIMARY KEY (owner, number)) STRICT;
CREATE TABLE records (owner INTEGER NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL CHECK (number >= 0), bytes BLOB NOT NULL, digest BLOB NOT NULL,
  PRIMARY KEY (owner, number)) STRICT;
CREATE TABLE entries (run TEXT NOT NULL, attempt TEXT NOT NULL,
  owner INTEGER NOT NULL REFERENCES runs (id), study TEXT NOT NULL, data TEXT NOT NULL,
  unit TEXT NOT NULL, epsilon REAL NOT NULL CHECK (epsilon > 0),
  delta REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
  state TEXT NOT NULL CHECK (state IN ('reserved', 'spent', 'restored')), time INTEGER NOT NULL,
  PRIMARY KEY (run, attempt)) STRICT;
CREATE INDEX entries_of_data ON entries (data, state, unit, epsilon, delta);
CREATE INDEX entries_of_owner ON entries (owner);
CREATE UNIQUE INDEX one_release_per_run ON entries (run) WHERE state = 'spent';
CREATE TRIGGER spent_stays_spent BEFORE UPDATE ON entries WHEN OLD.state = 'spent'
BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries of the ledger stay'); END;
CREATE TABLE limits (data TEXT NOT NULL PRIMARY KEY, epsilon REAL NOT NULL CHECK (epsilon > 0),
  delta REAL NOT NULL CHECK (delta >= 0 AND delta < 1), time INTEGER NOT NULL) STRICT;
CREATE INDEX limits_again ON limits (epsilon, delta, data);
PRAGMA application_id = 1936684148;
PRAGMA user_version = 1;
INSERT INTO runs VALUES (1, 'a1', 'energy', 'beef', 10, 20, 'finished', '', '', 0, 0, x''),
  (2, 'b2', 'energy', 'beef', 30, NULL, 'running', 'waiting', '', 0, 0, x''),
  (3, 'c3', 'costs', 'cafe', 40, 50, 'failed', '', 'lost', 0, 0, x'');
INSERT INTO entries VALUES ('a1', '01', 1, 'energy', 'table', 'record', 1.0, 1e-6, 'spent', 15),
  ('b2', '01', 2, 'energy', 'table', 'record', 0.5, 1e-6, 'reserved', 35),
  ('c3', '01', 3, 'costs', 'costs', 'entry', 0.25, 1e-6, 'spent', 45),
  ('c3', '02', 3, 'costs', 'other', 'record', 2.0, 0.0, 'restored', 46);
INSERT INTO limits VALUES ('table', 10.0, 1e-5, 7), ('costs', 2.0, 1e-5, 8), ('none', 3.0, 0.0, 9);
)";

inline const std::string& old_store_template() {
  static const std::string bytes = [] {
    (void)store_template();  // makes the home
    const std::string path = file_with("old.db", "");
    sqlite3* database = nullptr;
    require(sqlite3_open(path.c_str(), &database) == SQLITE_OK, "a database opens");
    require(sqlite3_exec(database, kVersion1, nullptr, nullptr, nullptr) == SQLITE_OK,
            "a ledger of version 1 is made");
    sqlite3_close(database);
    return content_of(path);
  }();
  return bytes;
}

}  // namespace sotto::fuzz
