#include "data/sql/sqlite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <utility>
#include <vector>

#include "data/csv/written_text.h"
#include "data/sql/sql_query.h"

// One connection and one statement for as long as the rows are read.
namespace sotto {
namespace sqlite {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;
constexpr int kBusyMilliseconds = 5000;
// Of SQLite's machine, between two questions whether to go on: some milliseconds.
constexpr int kAskSteps = 100'000;

Error query_error(const std::string& what, const std::string& fix) {
  return bad_input("E-sql-query", what, fix);
}

std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char letter : name) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + "\"";
}

class SqliteText final : public WrittenText {
 public:
  SqliteText(Database database, Statement statement, Interrupted interrupted, bool digest)
      : WrittenText(digest),
        database_(std::move(database)),
        statement_(std::move(statement)),
        interrupted_(std::move(interrupted)) {
    if (interrupted_) {
      sqlite3_progress_handler(
          database_.get(), kAskSteps,
          [](void* self) { return static_cast<SqliteText*>(self)->interrupted_() ? 1 : 0; }, this);
    }
    for (int c = 0; c < sqlite3_column_count(statement_.get()); ++c) {
      const char* name = sqlite3_column_name(statement_.get(), c);
      rows_.text(name == nullptr ? "" : name);
    }
    rows_.end_row();
  }

 private:
  Result<bool> more(std::string& text) override {
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW && rows_.size() < kChunkBytes) {
      code = sqlite3_step(statement_.get());
      if (code == SQLITE_ROW) write_row();
    }
    if (code == SQLITE_INTERRUPT) return reading_interrupted();
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      return failed("E-sql-read",
                    fmt::format("the query stopped: {}", sqlite3_errmsg(database_.get())),
                    "check the file with \"PRAGMA integrity_check\"");
    }
    text = rows_.take();
    return code == SQLITE_ROW;
  }

  void write_row() {
    sqlite3_stmt* row = statement_.get();
    for (int c = 0; c < sqlite3_column_count(row); ++c) {
      switch (sqlite3_column_type(row, c)) {
        case SQLITE_NULL:
          rows_.missing();
          break;
        case SQLITE_INTEGER:
          rows_.whole(sqlite3_column_int64(row, c));
          break;
        case SQLITE_FLOAT:
          rows_.number(sqlite3_column_double(row, c));
          break;
        case SQLITE_BLOB:
          rows_.text("(bytes)");
          break;
        default: {
          const auto* letters = reinterpret_cast<const char*>(sqlite3_column_text(row, c));
          rows_.text({letters, static_cast<std::size_t>(sqlite3_column_bytes(row, c))});
        }
      }
    }
    rows_.end_row();
  }

  Database database_;
  Statement statement_;
  Interrupted interrupted_;
  CsvText rows_;
};

Result<Database> open_database(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  Database database(raw);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    return database;
  }
  return bad_input("E-sql-open",
                   fmt::format("\"{}\" cannot be opened: {}", path, sqlite3_errmsg(raw)),
                   "give the path of an SQLite file that may be read");
}

Result<Statement> prepare(sqlite3* database, const std::string& query) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v2(database, query.c_str(), -1, &raw, &tail);
  Statement statement(raw);
  if (code == SQLITE_NOTADB || code == SQLITE_CANTOPEN || code == SQLITE_CORRUPT) {
    return bad_input("E-sql-open", fmt::format("SQLite says: {}", sqlite3_errmsg(database)),
                     "give the path of an SQLite file that is whole");
  }
  if (code != SQLITE_OK) {
    return query_error(fmt::format("SQLite does not take the query: {}", sqlite3_errmsg(database)),
                       "try it with sqlite3 first");
  }
  if (raw == nullptr || !trimmed_query(tail).empty()) {
    return query_error("the query is not one statement", "write one SELECT");
  }
  if (sqlite3_stmt_readonly(raw) == 0 || sqlite3_column_count(raw) == 0) {
    return query_error("the query does not select rows", "write one SELECT");
  }
  return statement;
}

// The tables and views of a file, for whoever did not say which.
Result<std::string> only_table(sqlite3* database) {
  SOTTO_ASSIGN(const auto names,
               prepare(database,
                       "select name from sqlite_master where type in ('table', 'view') and name "
                       "not like 'sqlite\\_%' escape '\\' order by name"));
  std::vector<std::string> found;
  while (sqlite3_step(names.get()) == SQLITE_ROW) {
    found.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(names.get(), 0)));
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return query_error("the file has no table", "is it the right file?");
  return query_error(
      fmt::format("the file has {} tables: {}", found.size(), fmt::join(found, ", ")),
      "name one with --query, or write a SELECT there");
}

Result<std::unique_ptr<TextStream>> open_query(const std::string& path, const std::string& query,
                                               const Interrupted& interrupted, bool digest) {
  SOTTO_ASSIGN(Database database, open_database(path));
  std::string table = query;
  if (query.empty()) {
    SOTTO_ASSIGN(table, only_table(database.get()));
  }
  const bool whole = query.empty() || is_table_name(query);
  const std::size_t point = query.empty() ? std::string::npos : table.find('.');
  const std::string name = point == std::string::npos ? quoted_name(table)
                                                      : quoted_name(table.substr(0, point)) + "." +
                                                            quoted_name(table.substr(point + 1));
  SOTTO_ASSIGN(Statement statement,
               prepare(database.get(), whole ? "select * from " + name : query));
  return std::make_unique<SqliteText>(std::move(database), std::move(statement), interrupted,
                                      digest);
}

}  // namespace
}  // namespace sqlite

TableText text_of_sqlite(const std::string& path, const std::string& query,
                         const Interrupted& interrupted) {
  const std::string asked = trimmed_query(query);
  return {.facts = {.kind = "sqlite", .place = path, .query = asked},
          .name = path,
          .places = TableText::Places::kRows,
          .format = CsvFormat{},
          .open = [path, asked, interrupted](const Schema&, bool digest) {
            return sqlite::open_query(path, asked, interrupted, digest);
          }};
}

}  // namespace sotto
