// SQLite's C interface behind four small types. Its codes become errors that say what to do.

#include "store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>

namespace sotto::store {
namespace {

// How long another process may hold the file before we give up.
constexpr int kBusyMilliseconds = 10'000;

constexpr const char* kSettings =
    "PRAGMA synchronous = FULL;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA secure_delete = ON;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;";

// SQLite does not always keep the reason for which a write failed; on a quota or a size
// limit it does not say "full".
bool is_full(int code, int system_error) {
  if ((code & 0xff) == SQLITE_FULL || code == SQLITE_IOERR_WRITE) return true;
  return (code & 0xff) == SQLITE_IOERR &&
         (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG);
}

}  // namespace

Error corrupt(const Database& database, const std::string& how) {
  return failed("E-store-corrupt", fmt::format("{} is damaged: {}", database.path(), how),
                "put a backup in its place; without one, count every run in it as spent");
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void Database::Rows::Free::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Error Database::error(int code) const {
  const std::string reason =
      handle_ ? sqlite3_errmsg(handle_.get()) : std::string(sqlite3_errstr(code));
  if (is_full(code, handle_ ? sqlite3_system_errno(handle_.get()) : 0)) {
    return failed(
        "E-store-full", fmt::format("the disk takes no more of {}", path_),
        "free some space, or look at the quota and the disk; nothing that was kept is lost");
  }
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return failed("E-store-foreign", fmt::format("{} is no database", path_),
                    "name another home folder, or move the file away");
    // What only a file with other contents than ours can lead to.
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return corrupt(*this, reason);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return failed("E-store-read-only", fmt::format("{} cannot be written", path_),
                    "make the file and its folder writable for the user who runs sotto");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return failed("E-store-busy",
                    fmt::format("another process has held {} for {} seconds", path_,
                                kBusyMilliseconds / 1000),
                    "wait for it to end, or end it");
    case SQLITE_CANTOPEN:
      return failed("E-store-open", fmt::format("cannot open {}: {}", path_, reason),
                    "name a home folder on a local disk that can be written");
    default:
      return failed("E-store-io", fmt::format("cannot use {}: {}", path_, reason),
                    "check the disk; start again: nothing that was kept is lost");
  }
}

Result<std::shared_ptr<Database>> Database::connect(const std::string& path) {
  std::shared_ptr<Database> database(new Database());
  database->path_ = path;
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
  database->handle_.reset(handle);
  if (opened != SQLITE_OK) return database->error(opened);
  // SQLite opens read-only what it may not write, without a word.
  if (sqlite3_db_readonly(handle, "main") == 1) return database->error(SQLITE_READONLY);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  SOTTO_TRY(database->script(kSettings));
  return database;
}

Result<std::shared_ptr<Database>> Database::open_in_memory() {
  return connect(":memory:");
}

Result<std::shared_ptr<Database>> Database::open(const std::string& path) {
  SOTTO_ASSIGN(auto database, connect(path));
  SOTTO_ASSIGN(auto rows, database->query("PRAGMA journal_mode = WAL"));
  SOTTO_ASSIGN(const bool row, rows.step());
  if (!row || rows.bytes(0) != "wal") {
    return failed(
        "E-store-open",
        fmt::format("the file system of {} has no shared memory, which its log needs", path),
        "name a home folder on a local disk");
  }
  return database;
}

Result<Database::Rows> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  Rows rows;
  rows.database_ = this;
  rows.statement_.reset(statement);
  if (code != SQLITE_OK) return error(code);
  return rows;
}

Result<int> Database::finish(Rows& rows) const {
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return sqlite3_changes(handle_.get());
  }
}

// Its first column says whether somebody was in the way; that is no error to SQLite.
Result<bool> Database::empty_log() {
  SOTTO_ASSIGN(auto rows, query("PRAGMA wal_checkpoint(TRUNCATE)"));
  SOTTO_ASSIGN(const bool row, rows.step());
  return row && rows.integer(0) == 0;
}

Result<bool> Database::empty_log_if_free() {
  sqlite3_busy_timeout(handle_.get(), 0);
  auto emptied = empty_log();
  sqlite3_busy_timeout(handle_.get(), kBusyMilliseconds);
  return emptied;
}

Result<void> Database::script(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

// A null pointer would be SQL's NULL, and an empty view may have one.
void Database::Rows::bind(int index, std::string_view text) {
  keep(sqlite3_bind_text64(statement_.get(), index, text.empty() ? "" : text.data(), text.size(),
                           SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Database::Rows::bind(int index, Blob blob) {
  keep(sqlite3_bind_blob64(statement_.get(), index, blob.bytes.empty() ? "" : blob.bytes.data(),
                           blob.bytes.size(), SQLITE_TRANSIENT));
}

void Database::Rows::bind(int index, std::int64_t number) {
  keep(sqlite3_bind_int64(statement_.get(), index, number));
}

void Database::Rows::bind(int index, double number) {
  keep(sqlite3_bind_double(statement_.get(), index, number));
}

void Database::Rows::keep(int code) {
  if (fault_ == SQLITE_OK) fault_ = code;
}

Result<bool> Database::Rows::step() {
  if (fault_ != SQLITE_OK) return database_->error(fault_);
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fault_ = code;
  return database_->error(code);
}

std::int64_t Database::Rows::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Database::Rows::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Database::Rows::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

bool Database::Rows::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Transaction> Transaction::begin(Database& database) {
  // Takes the writer's lock at once: what is read inside stays true until the commit.
  SOTTO_TRY(database.script("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Result<void> Transaction::commit() {
  auto committed = open_->script("COMMIT");
  if (committed) static_cast<void>(open_.release());
  return committed;
}

void Transaction::RollBack::operator()(Database* database) const {
  // After some errors SQLite has rolled back already, and says so: no news.
  static_cast<void>(database->script("ROLLBACK"));
}

Result<Snapshot> Snapshot::take(const Database& database) {
  // Unlike BEGIN, it may be inside of another.
  SOTTO_ASSIGN(auto begun, database.query("SAVEPOINT reading"));
  SOTTO_TRY(begun.step());
  return Snapshot(database);
}

void Snapshot::Release::operator()(const Database* database) const {
  if (auto ended = database->query("RELEASE reading")) static_cast<void>(ended->step());
}

}  // namespace sotto::store
