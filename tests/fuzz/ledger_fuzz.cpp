// A ledger whose rows somebody has changed, with the indices that go with them: values of any type
// where sotto wrote its own. Then it is damaged, or adds up.

#include <sqlite3.h>

#include <bit>

#include "fuzz/store_files.h"

namespace sotto {
namespace {

constexpr const char* kColumns[][2] = {{"accounts", "data"},
                                       {"accounts", "epsilon"},
                                       {"accounts", "delta"},
                                       {"accounts", "gt_epsilon"},
                                       {"accounts", "gt_delta"},
                                       {"accounts", "changes"},
                                       {"entries", "run"},
                                       {"entries", "attempt"},
                                       {"entries", "owner"},
                                       {"entries", "data"},
                                       {"entries", "unit"},
                                       {"entries", "epsilon"},
                                       {"entries", "delta"},
                                       {"entries", "guaranteed"},
                                       {"entries", "colluders"},
                                       {"entries", "state"},
                                       {"entries", "laplace_delta"},
                                       {"entries", "excess_delta"},
                                       {"entries", "shown"},
                                       {"entries", "converted"},
                                       {"charges", "observer"},
                                       {"charges", "released"},
                                       {"charges", "looks"},
                                       {"bookings", "tag"},
                                       {"bookings", "observer"},
                                       {"bookings", "looks"},
                                       {"runs", "run"},
                                       {"runs", "state"},
                                       {"runs", "records"},
                                       {"runs", "head"},
                                       {"records", "number"},
                                       {"records", "bytes"},
                                       {"records", "digest"},
                                       {"names", "shared"},
                                       {"files", "path"}};

void change(sqlite3* database, fuzz::Choices& choices) {
  const auto& [table, column] = kColumns[choices.below(std::size(kColumns))];
  const std::string sql =
      choices.flag() ? fmt::format("DELETE FROM {} WHERE rowid = ?2 AND ?1 IS ?1", table)
                     : fmt::format("UPDATE {} SET {} = ?1 WHERE rowid = ?2", table, column);
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return;
  sqlite3_bind_int64(statement, 2, static_cast<sqlite3_int64>(1 + choices.below(8)));
  switch (choices.below(5)) {
    case 0:
      sqlite3_bind_int64(statement, 1, static_cast<sqlite3_int64>(choices.word()));
      break;
    case 1:
      sqlite3_bind_double(statement, 1, std::bit_cast<double>(choices.word()));
      break;
    case 2: {
      const std::string_view text = choices.text();
      sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      break;
    }
    case 3: {
      const std::string_view blob = choices.text();
      sqlite3_bind_blob(statement, 1, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT);
      break;
    }
    default:
      sqlite3_bind_int64(statement, 1, choices.byte());
  }
  sqlite3_step(statement);  // what a constraint refuses is not changed
  sqlite3_finalize(statement);
}

}  // namespace

SOTTO_FUZZER(ledger) {
  fuzz::put_store(fuzz::store_template());
  fuzz::Choices choices(bytes);
  sqlite3* database = nullptr;
  fuzz::require(sqlite3_open((fuzz::store_home() + "/party.db").c_str(), &database) == SQLITE_OK,
                "a good file opens");
  // Whoever changes rows on purpose switches off what keeps them.
  const char* off = choices.flag() ? "PRAGMA ignore_check_constraints = ON" : "";
  for (const char* sql :
       {"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF", off,
        "DROP TRIGGER accounts_stay", "DROP TRIGGER spent_stays_spent",
        "DROP TRIGGER shown_stays_shown", "DROP TRIGGER amounts_stay", "DROP TRIGGER entries_stay",
        "DROP TRIGGER charges_stay_the_same", "DROP TRIGGER charges_stay",
        "DROP TRIGGER bookings_stay_the_same", "DROP TRIGGER bookings_stay"}) {
    sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
  }
  for (int k = 0; k < 6 && !choices.empty(); ++k) change(database, choices);
  sqlite3_close(database);
  fuzz::ask_store();
}

}  // namespace sotto
