// Runs: how they begin, where they stand, how they end.

#include "store/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

namespace sotto {
namespace {

using store::Blob;
using store::Database;
using store::Transaction;

constexpr std::size_t kMaxKeyBytes = 128;
// Opening takes milliseconds; whoever holds it longer has been stopped.
constexpr std::chrono::milliseconds kOpenPatience{10'000};
constexpr std::chrono::milliseconds kNoPatience{0};
// Whoever only asks who it is has a lock for an instant.
constexpr std::chrono::milliseconds kLookingTakes{100};

std::string database_path(const std::string& home) {
  return home + "/party.db";
}

std::string lock_path(const std::string& home, const std::string& key) {
  return fmt::format("{}/locks/{}.lock", home, key);
}

// Becomes a file's name, so nothing but digits may pass.
Result<void> check_hexadecimal(const std::string& key) {
  const bool digits = key.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (digits && !key.empty() && key.size() <= kMaxKeyBytes) return {};
  return bad_input(
      "E-run-id", fmt::format("\"{}\" is no name of a run", key),
      fmt::format("1 to {} digits 0-9 and a-f, as 'sotto status' shows them", kMaxKeyBytes));
}

Result<RunState> run_state_of(const Database& database, const std::string& text) {
  if (const auto state = kRunStates.find(text)) return *state;
  return store::corrupt(database, fmt::format("a run is \"{}\"", text));
}

Result<std::vector<std::string>> files_of(const Database& database, std::int64_t owner) {
  SOTTO_ASSIGN(auto rows,
               database.query("SELECT path FROM files WHERE owner = ? ORDER BY number", owner));
  std::vector<std::string> files;
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return files;
    files.push_back(rows.bytes(0));
  }
}

struct RunRow {
  std::int64_t id = 0;
  RunState state = RunState::kRunning;
};

Result<RunRow> row_of(const Database& database, const std::string& run) {
  SOTTO_ASSIGN(auto rows, database.query("SELECT id, state FROM runs WHERE run = ?", run));
  SOTTO_ASSIGN(const bool row, rows.step());
  if (!row) {
    return bad_input("E-run-unknown", fmt::format("there is no run \"{}\" here", run),
                     "'sotto status' lists the runs of this party");
  }
  SOTTO_ASSIGN(const RunState state, run_state_of(database, rows.bytes(1)));
  return RunRow{.id = rows.integer(0), .state = state};
}

Error has_ended(const std::string& run, RunState state) {
  return failed("E-run-ended", fmt::format("run {} has ended: {}", run, kRunStates[state]),
                "start a new run");
}

}  // namespace

// Not time(): Linux answers that from a clock that lags by up to a tick, so what happens at a
// second's beginning would be noted in the second before.
std::int64_t unix_seconds() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

std::string short_run(const std::string& run) {
  return run.substr(0, 12);
}

Result<Store> Store::open(const std::string& home, UnixClock clock) {
  for (const std::string& folder : {home, home + "/locks"}) {
    SOTTO_TRY(store::make_private_folder(folder));
  }
  // One at a time: SQLite's change to a write-ahead log wants to be alone.
  SOTTO_ASSIGN(const auto alone, StoreLock::take(lock_path(home, "open"), kOpenPatience));
  const std::string path = database_path(home);
  SOTTO_TRY(store::make_private_file(path));
  SOTTO_ASSIGN(auto database, Database::open(path));
  SOTTO_TRY(store::prepare_schema(*database));
  // Keys of runs that have ended may be left in the log: by a crash, or because somebody was
  // reading. Whoever only wants to read is not to fail for it.
  static_cast<void>(database->empty_log_if_free());
  return Store(home, std::move(clock), std::move(database));
}

Result<Store> Store::in_memory(UnixClock clock) {
  SOTTO_ASSIGN(auto database, Database::open_in_memory());
  SOTTO_TRY(store::prepare_schema(*database));
  return Store("", std::move(clock), std::move(database));
}

bool Store::exists(const std::string& home) {
  struct stat status {};
  return ::lstat(database_path(home).c_str(), &status) == 0;
}

Result<StoreLock> Store::lock(const std::string& key) const {
  SOTTO_TRY(check_hexadecimal(key));
  return StoreLock::take(lock_path(home_, key), kLookingTakes);
}

Result<std::variant<StoreLock, LockHolder>> Store::try_lock(const std::string& key) const {
  SOTTO_TRY(check_hexadecimal(key));
  return StoreLock::try_take(lock_path(home_, key), kNoPatience);
}

Result<void> Store::begin_run(const std::string& run, const std::string& study,
                              const std::string& study_hash) {
  SOTTO_TRY(check_hexadecimal(run));
  SOTTO_ASSIGN(
      const int written,
      database_->change(
          "INSERT INTO runs (run, study, study_hash, started, state, phase, note, abort, records, "
          "head) VALUES (?, ?, ?, ?, 'running', '', '', 0, 0, ?) ON CONFLICT (run) DO NOTHING",
          run, study, study_hash, clock_(), Blob{journal_head(run)}));
  if (written == 0) {
    return bad_input("E-run-id", fmt::format("run {} has begun before", run),
                     "another name for a new run");
  }
  return {};
}

Result<std::vector<StoredRun>> Store::select(const std::string& where,
                                             const std::string& argument) const {
  SOTTO_ASSIGN(
      auto rows,
      database_->query(
          fmt::format(
              "SELECT id, run, study, study_hash, started, ended, state, phase, note, abort, "
              "(SELECT shared FROM names WHERE owner = runs.id) FROM runs WHERE {}",
              where),
          argument));
  std::vector<StoredRun> found;
  for (;;) {
    SOTTO_ASSIGN(const bool row, rows.step());
    if (!row) return found;
    StoredRun& run = found.emplace_back();
    run.run = rows.bytes(1);
    run.study = rows.bytes(2);
    run.study_hash = rows.bytes(3);
    run.started = rows.integer(4);
    if (!rows.null(5)) run.ended = rows.integer(5);
    if (!store::is_time(run.started) || !store::is_time(run.ended.value_or(0))) {
      return store::corrupt(*database_, fmt::format("the times of run {} are none", run.run));
    }
    SOTTO_ASSIGN(run.state, run_state_of(*database_, rows.bytes(6)));
    run.phase = rows.bytes(7);
    run.note = rows.bytes(8);
    run.abort_requested = rows.integer(9) != 0;
    if (!rows.null(10)) run.shared = rows.bytes(10);
    SOTTO_ASSIGN(run.files, files_of(*database_, rows.integer(0)));
  }
}

Result<StudyRuns> Store::runs_of_study(const std::string& study_hash) const {
  StudyRuns last;
  // By the order they began in: a clock may be set back.
  SOTTO_ASSIGN(auto unfinished,
               select("study_hash = ? AND state = 'running' ORDER BY id DESC LIMIT 1", study_hash));
  if (!unfinished.empty()) last.unfinished = std::move(unfinished.front());
  SOTTO_ASSIGN(
      auto finished,
      select("study_hash = ? AND state = 'finished' ORDER BY id DESC LIMIT 1", study_hash));
  if (!finished.empty()) last.finished = std::move(finished.front());
  return last;
}

Result<StoredRun> Store::run(const std::string& run) const {
  SOTTO_TRY(row_of(*database_, run));
  SOTTO_ASSIGN(auto found, select("run = ?", run));
  return std::move(found.front());
}

Result<std::vector<StoredRun>> Store::runs() const {
  return select("run != ? ORDER BY id", "");
}

Result<void> Store::share_name(const std::string& run, const std::string& shared) {
  SOTTO_TRY(check_hexadecimal(shared));
  SOTTO_ASSIGN(const auto id, row_number(run));
  SOTTO_TRY(
      database_->change("INSERT INTO names (owner, shared) VALUES (?, ?) ON CONFLICT (owner) "
                        "DO UPDATE SET shared = excluded.shared",
                        id, shared));
  return {};
}

Result<void> Store::set_phase(const std::string& run, const std::string& phase) {
  SOTTO_ASSIGN(const int written,
               database_->change("UPDATE runs SET phase = ? WHERE run = ? AND state = 'running'",
                                 phase, run));
  if (written == 1) return {};
  SOTTO_ASSIGN(const auto row, row_of(*database_, run));
  return has_ended(run, row.state);
}

Result<void> Store::end(const std::string& run, RunState state,
                        const std::vector<std::string>& files, const std::string& note) {
  SOTTO_TRY(write_end(run, state, files, note));
  SOTTO_TRY(database_->empty_log());
  return {};
}

Result<void> Store::write_end(const std::string& run, RunState state,
                              const std::vector<std::string>& files, const std::string& note) {
  SOTTO_ASSIGN(auto transaction, Transaction::begin(*database_));
  SOTTO_ASSIGN(const auto row, row_of(*database_, run));
  if (row.state == state) return {};
  if (row.state != RunState::kRunning) return has_ended(run, row.state);
  const std::int64_t now = clock_();
  SOTTO_TRY(database_->change("UPDATE runs SET state = ?, ended = ?, note = ? WHERE id = ?",
                              kRunStates[state], now, note, row.id));
  std::int64_t number = 0;
  for (const std::string& file : files) {
    // Absolute: whoever looks for it stands somewhere else.
    std::error_code nowhere;
    const auto absolute = std::filesystem::absolute(file, nowhere).lexically_normal();
    SOTTO_TRY(database_->change("INSERT INTO files (owner, number, path) VALUES (?, ?, ?)", row.id,
                                number++, nowhere ? file : absolute.string()));
  }
  SOTTO_TRY(store::free_reserved(*database_, row.id, now));
  // Nobody resumes it any more, and its key would give away the noise.
  SOTTO_TRY(database_->change("DELETE FROM records WHERE owner = ?", row.id));
  SOTTO_TRY(database_->change("UPDATE runs SET records = 0, head = ? WHERE id = ?",
                              Blob{journal_head(run)}, row.id));
  return transaction.commit();
}

Result<void> Store::request_abort(const std::string& run) {
  SOTTO_ASSIGN(
      const int written,
      database_->change("UPDATE runs SET abort = 1 WHERE run = ? AND state = 'running'", run));
  if (written == 1) return {};
  SOTTO_ASSIGN(const auto row, row_of(*database_, run));
  return has_ended(run, row.state);
}

Result<bool> Store::abort_requested(const std::string& run) const {
  SOTTO_ASSIGN(const auto found, this->run(run));
  return found.abort_requested;
}

Result<void> Store::set_limit(const std::string& data, const LedgerLimit& limit) {
  SOTTO_ASSIGN(auto transaction, Transaction::begin(*database_));
  SOTTO_TRY(store::write_limit(*database_, data, limit, clock_()));
  return transaction.commit();
}

Result<std::int64_t> Store::row_number(const std::string& run) const {
  SOTTO_ASSIGN(const auto row, row_of(*database_, run));
  return row.id;
}

}  // namespace sotto
