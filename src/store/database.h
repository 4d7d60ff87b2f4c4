#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

// What the store is written in: SQLite with errors for people, and the tables that are in the file.
namespace sotto::store {

struct Blob {
  std::string_view bytes;
};

// One open file. One thread at a time; not across a fork.
class Database {
 public:
  // The file exists already; its -wal and -shm get its mode. Write-ahead log, and
  // every commit is on the disk before it returns.
  [[nodiscard]] static Result<std::shared_ptr<Database>> open(const std::string& path);
  // The same without a file: gone with whoever holds it.
  [[nodiscard]] static Result<std::shared_ptr<Database>> open_in_memory();

  // One row after another: `while (row = step(), row && *row) column(…)`.
  class Rows {
   public:
    [[nodiscard]] Result<bool> step();
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string bytes(int column) const;
    [[nodiscard]] bool null(int column) const;

   private:
    friend class Database;
    struct Free {
      void operator()(sqlite3_stmt* statement) const;
    };
    void bind(int index, std::string_view text);
    void bind(int index, Blob blob);
    void bind(int index, std::int64_t number);
    void bind(int index, double number);
    void keep(int code);
    const Database* database_ = nullptr;
    std::unique_ptr<sqlite3_stmt, Free> statement_;
    int fault_ = 0;  // the first thing that went wrong, told by step()
  };

  template <class... Arguments>
  [[nodiscard]] Result<Rows> query(std::string_view sql, const Arguments&... arguments) const {
    SOTTO_ASSIGN(auto rows, prepare(sql));
    int index = 0;
    (rows.bind(++index, arguments), ...);
    return rows;
  }

  // Runs one statement to its end. The number of rows that it changed.
  template <class... Arguments>
  [[nodiscard]] Result<int> change(std::string_view sql, const Arguments&... arguments) {
    SOTTO_ASSIGN(auto rows, query(sql, arguments...));
    return finish(rows);
  }

  // Several statements without arguments, one after the other.
  [[nodiscard]] Result<void> script(const char* sql);

  // What was overwritten in the file goes from its write-ahead log too: false if another process
  // was reading there all the time that it was waited for.
  [[nodiscard]] Result<bool> empty_log();
  // The same without waiting.
  [[nodiscard]] Result<bool> empty_log_if_free();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Database() = default;
  [[nodiscard]] static Result<std::shared_ptr<Database>> connect(const std::string& path);
  [[nodiscard]] Result<Rows> prepare(std::string_view sql) const;
  [[nodiscard]] Result<int> finish(Rows& rows) const;
  [[nodiscard]] Error error(int code) const;

  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// All of it or nothing: rolled back unless committed. Only one process writes at a time.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Database& database);
  Transaction(Transaction&&) noexcept = default;
  Transaction& operator=(Transaction&&) = delete;
  [[nodiscard]] Result<void> commit();

 private:
  struct RollBack {
    void operator()(Database* database) const;
  };
  explicit Transaction(Database& database) : open_(&database) {}
  std::unique_ptr<Database, RollBack> open_;
};

// As long as it is there, everything that is read is of one moment, whatever other processes commit
// meanwhile. Inside a transaction too, which is such a moment already.
class Snapshot {
 public:
  [[nodiscard]] static Result<Snapshot> take(const Database& database);

 private:
  struct Release {
    void operator()(const Database* database) const;
  };
  explicit Snapshot(const Database& database) : open_(&database) {}
  std::unique_ptr<const Database, Release> open_;
};

// Makes the tables in an empty file, in one transaction, or looks at those that are there; an
// earlier version's are converted, in one transaction too, and nothing of them is lost.
// A file of somebody else's is failed[E-store-foreign], of a later version
// failed[E-store-newer]; neither is touched. A damaged ledger is failed[E-store-corrupt].
[[nodiscard]] Result<void> prepare_schema(Database& database);
inline constexpr std::int64_t kSchemaVersion = 2;

// Seconds since 1970 that a clock can have shown. Beyond, in 34,000 years, calendars end.
[[nodiscard]] constexpr bool is_time(std::int64_t seconds) {
  return seconds >= 0 && seconds < std::int64_t{1} << 40;
}

// The file holds what this program cannot have written.
[[nodiscard]] Error corrupt(const Database& database, const std::string& how);

}  // namespace sotto::store
