// A ledger whose rows somebody has changed, with the indices that go with them: values of any type
// where sotto wrote its own. Then it is damaged, or adds up.

#include <sqlite3.h>

#include <bit>
#include <limits>

#include "fuzz/old_store.h"

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
                                       {"files", "path"},
                                       {"accounts", "made"},
                                       {"accounts", "changed"},
                                       {"entries", "laplace_epsilon"},
                                       {"entries", "study"},
                                       {"entries", "time"},
                                       {"runs", "started"},
                                       {"runs", "ended"},
                                       {"runs", "study"},
                                       {"runs", "study_hash"},
                                       {"runs", "phase"},
                                       {"runs", "note"},
                                       {"runs", "abort"},
                                       {"files", "number"},
                                       {"foreseen", "tag"},
                                       {"foreseen", "observer"},
                                       {"foreseen", "looks"}};

constexpr const char* kOldColumns[][2] = {
    {"entries", "run"},   {"entries", "attempt"}, {"entries", "owner"},   {"entries", "study"},
    {"entries", "data"},  {"entries", "unit"},    {"entries", "epsilon"}, {"entries", "delta"},
    {"entries", "state"}, {"entries", "time"},    {"limits", "data"},     {"limits", "epsilon"},
    {"limits", "delta"},  {"limits", "time"},     {"runs", "run"},        {"runs", "started"},
    {"runs", "ended"},    {"runs", "state"},      {"runs", "study"},      {"runs", "study_hash"}};

constexpr double kOddAmounts[] = {0,
                                  -0.0,
                                  -1,
                                  5e-324,
                                  1e-300,
                                  0.5,
                                  1,
                                  700,
                                  1e15,
                                  1e154,
                                  1e200,
                                  1e308,
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity()};

// Seconds, numbers and counts that no clock or run has come to.
constexpr std::int64_t kOddWholes[] = {-1,
                                       0,
                                       1,
                                       253'402'300'800,
                                       67'768'036'191'676'800,
                                       std::int64_t{1} << 53U,
                                       std::int64_t{1} << 62U,
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};

void change(sqlite3* database, fuzz::Choices& choices, bool old) {
  const auto& [table, column] = old ? kOldColumns[choices.below(std::size(kOldColumns))]
                                    : kColumns[choices.below(std::size(kColumns))];
  const std::string sql =
      choices.flag() ? fmt::format("DELETE FROM {} WHERE rowid = ?2 AND ?1 IS ?1", table)
                     : fmt::format("UPDATE {} SET {} = ?1 WHERE rowid = ?2", table, column);
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return;
  sqlite3_bind_int64(statement, 2, 1 + static_cast<sqlite3_int64>(choices.below(8)));
  switch (choices.below(7)) {
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
    case 4:
      sqlite3_bind_int64(statement, 1, choices.byte());
      break;
    case 5:
      sqlite3_bind_double(statement, 1, kOddAmounts[choices.below(std::size(kOddAmounts))]);
      break;
    default:
      sqlite3_bind_int64(statement, 1, kOddWholes[choices.below(std::size(kOddWholes))]);
  }
  sqlite3_step(statement);  // what a constraint refuses is not changed
  sqlite3_finalize(statement);
}

}  // namespace

// The first byte: whether checks are switched off, and whether the file is of version 1.
SOTTO_FUZZER(ledger) {
  fuzz::Choices choices(bytes);
  const std::size_t how = choices.below(4);
  const bool old = how >= 2;
  fuzz::put_store(old ? fuzz::old_store_template() : fuzz::store_template());
  sqlite3* database = nullptr;
  fuzz::require(sqlite3_open((fuzz::store_home() + "/party.db").c_str(), &database) == SQLITE_OK,
                "a good file opens");
  // Whoever changes rows on purpose switches off what keeps them.
  const char* off = how % 2 == 1 ? "PRAGMA ignore_check_constraints = ON" : "";
  for (const char* sql :
       {"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF", off,
        "DROP TRIGGER accounts_stay", "DROP TRIGGER spent_stays_spent",
        "DROP TRIGGER shown_stays_shown", "DROP TRIGGER amounts_stay", "DROP TRIGGER entries_stay",
        "DROP TRIGGER charges_stay_the_same", "DROP TRIGGER charges_stay",
        "DROP TRIGGER bookings_stay_the_same", "DROP TRIGGER bookings_stay",
        "DROP TRIGGER foreseen_stays_the_same", "DROP TRIGGER foreseen_stays"}) {
    sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
  }
  for (int k = 0; k < 6 && !choices.empty(); ++k) change(database, choices, old);
  sqlite3_close(database);
  fuzz::ask_store();
}

}  // namespace sotto
