#include "network/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "network/store_journal.h"
#include "network/store_schema.h"

namespace sotto {
namespace {

constexpr std::size_t kMaxKeyBytes = 128;
// Opening takes milliseconds; whoever holds it longer has been stopped.
constexpr std::chrono::milliseconds kOpenPatience{10'000};

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

Result<RunState> state_of(const Database& database, const std::string& text) {
  for (const auto state :
       {RunState::kRunning, RunState::kFinished, RunState::kAborted, RunState::kFailed}) {
    if (text == to_string(state)) return state;
  }
  return store_is_corrupt(database.path(), fmt::format("a run is \"{}\"", text));
}

Result<std::vector<std::string>> files_of(const Database& database, std::int64_t owner) {
  auto rows = database.query("SELECT path FROM files WHERE owner = ? ORDER BY number", owner);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<std::string> files;
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return files;
    files.push_back(rows->bytes(0));
  }
}

struct RunRow {
  std::int64_t id = 0;
  RunState state = RunState::kRunning;
};

Result<RunRow> row_of(const Database& database, const std::string& run) {
  auto rows = database.query("SELECT id, state FROM runs WHERE run = ?", run);
  if (!rows) return tl::unexpected(rows.error());
  const auto row = rows->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) {
    return bad_input("E-run-unknown", fmt::format("there is no run \"{}\" here", run),
                     "'sotto status' lists the runs of this party");
  }
  const auto state = state_of(database, rows->bytes(1));
  if (!state) return tl::unexpected(state.error());
  return RunRow{.id = rows->integer(0), .state = *state};
}

tl::unexpected<Error> has_ended(const std::string& run, RunState state) {
  return failed("E-run-ended", fmt::format("run {} has ended: {}", run, to_string(state)),
                "start a new run");
}

}  // namespace

std::string to_string(RunState state) {
  switch (state) {
    case RunState::kRunning:
      return "running";
    case RunState::kFinished:
      return "finished";
    case RunState::kAborted:
      return "aborted";
    case RunState::kFailed:
      return "failed";
  }
  return {};
}

Result<Store> Store::open(const std::string& home, UnixClock clock) {
  for (const std::string& folder : {home, home + "/locks"}) {
    if (auto made = make_private_folder(folder); !made) return tl::unexpected(made.error());
  }
  // One at a time: SQLite's change to a write-ahead log wants to be alone.
  const auto alone = StoreLock::take(lock_path(home, "open"), kOpenPatience);
  if (!alone) return tl::unexpected(alone.error());
  const std::string path = database_path(home);
  if (auto made = make_private_file(path); !made) return tl::unexpected(made.error());
  auto database = Database::open(path);
  if (!database) return tl::unexpected(database.error());
  if (auto ready = prepare_schema(**database); !ready) return tl::unexpected(ready.error());
  return Store(home, std::move(clock), std::move(*database));
}

bool Store::exists(const std::string& home) {
  struct stat status {};
  return ::lstat(database_path(home).c_str(), &status) == 0;
}

Result<StoreLock> Store::lock(const std::string& key) const {
  if (auto valid = check_hexadecimal(key); !valid) return tl::unexpected(valid.error());
  return StoreLock::take(lock_path(home_, key), std::chrono::milliseconds{0});
}

Result<void> Store::begin_run(const std::string& run, const std::string& study,
                              const std::string& study_hash) {
  if (auto valid = check_hexadecimal(run); !valid) return valid;
  auto written = database_->change(
      "INSERT INTO runs (run, study, study_hash, started, state, phase, note, abort, records, "
      "head) VALUES (?, ?, ?, ?, 'running', '', '', 0, 0, ?) ON CONFLICT (run) DO NOTHING",
      run, study, study_hash, clock_(), Blob{journal_head(run)});
  if (!written) return tl::unexpected(written.error());
  if (*written == 0) {
    return bad_input("E-run-id", fmt::format("run {} has begun before", run),
                     "another name for a new run");
  }
  return {};
}

Result<std::vector<StoredRun>> Store::select(const std::string& where,
                                             const std::string& argument) const {
  auto rows = database_->query(
      fmt::format("SELECT id, run, study, study_hash, started, ended, state, phase, note, abort "
                  "FROM runs WHERE {}",
                  where),
      argument);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<StoredRun> found;
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    StoredRun& run = found.emplace_back();
    run.run = rows->bytes(1);
    run.study = rows->bytes(2);
    run.study_hash = rows->bytes(3);
    run.started = rows->integer(4);
    if (!rows->null(5)) run.ended = rows->integer(5);
    const auto state = state_of(*database_, rows->bytes(6));
    if (!state) return tl::unexpected(state.error());
    run.state = *state;
    run.phase = rows->bytes(7);
    run.note = rows->bytes(8);
    run.abort_requested = rows->integer(9) != 0;
    auto files = files_of(*database_, rows->integer(0));
    if (!files) return tl::unexpected(files.error());
    run.files = std::move(*files);
  }
}

Result<StudyRuns> Store::runs_of_study(const std::string& study_hash) const {
  StudyRuns last;
  // By the order they began in: a clock may be set back.
  auto unfinished =
      select("study_hash = ? AND state = 'running' ORDER BY id DESC LIMIT 1", study_hash);
  if (!unfinished) return tl::unexpected(unfinished.error());
  if (!unfinished->empty()) last.unfinished = std::move(unfinished->front());
  auto finished =
      select("study_hash = ? AND state = 'finished' ORDER BY id DESC LIMIT 1", study_hash);
  if (!finished) return tl::unexpected(finished.error());
  if (!finished->empty()) last.finished = std::move(finished->front());
  return last;
}

Result<StoredRun> Store::run(const std::string& run) const {
  if (auto known = row_of(*database_, run); !known) return tl::unexpected(known.error());
  auto found = select("run = ?", run);
  if (!found) return tl::unexpected(found.error());
  return std::move(found->front());
}

Result<std::vector<StoredRun>> Store::runs() const {
  return select("run != ? ORDER BY id", "");
}

Result<void> Store::set_phase(const std::string& run, const std::string& phase) {
  auto written = database_->change("UPDATE runs SET phase = ? WHERE run = ? AND state = 'running'",
                                   phase, run);
  if (!written) return tl::unexpected(written.error());
  if (*written == 1) return {};
  const auto row = row_of(*database_, run);
  if (!row) return tl::unexpected(row.error());
  return has_ended(run, row->state);
}

Result<void> Store::end(const std::string& run, RunState state,
                        const std::vector<std::string>& files, const std::string& note) {
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return tl::unexpected(transaction.error());
  const auto row = row_of(*database_, run);
  if (!row) return tl::unexpected(row.error());
  if (row->state == state) return {};
  if (row->state != RunState::kRunning) return has_ended(run, row->state);
  const std::int64_t now = clock_();
  auto written = database_->change("UPDATE runs SET state = ?, ended = ?, note = ? WHERE id = ?",
                                   to_string(state), now, note, row->id);
  if (!written) return tl::unexpected(written.error());
  std::int64_t number = 0;
  for (const std::string& file : files) {
    written = database_->change("INSERT INTO files (owner, number, path) VALUES (?, ?, ?)", row->id,
                                number++, file);
    if (!written) return tl::unexpected(written.error());
  }
  if (auto freed = free_reserved(*database_, row->id, now); !freed) return freed;
  // Nobody resumes it any more, and its key would give away the noise.
  written = database_->change("DELETE FROM records WHERE owner = ?", row->id);
  if (!written) return tl::unexpected(written.error());
  written = database_->change("UPDATE runs SET records = 0, head = ? WHERE id = ?",
                              Blob{journal_head(run)}, row->id);
  if (!written) return tl::unexpected(written.error());
  if (auto ended = transaction->commit(); !ended) return ended;
  return database_->empty_log();
}

Result<void> Store::finish(const std::string& run, const std::vector<std::string>& files,
                           const std::string& note) {
  return end(run, RunState::kFinished, files, note);
}

Result<void> Store::fail(const std::string& run, const std::string& note) {
  return end(run, RunState::kFailed, {}, note);
}

Result<void> Store::abort(const std::string& run, const std::string& note) {
  return end(run, RunState::kAborted, {}, note);
}

Result<void> Store::request_abort(const std::string& run) {
  auto written =
      database_->change("UPDATE runs SET abort = 1 WHERE run = ? AND state = 'running'", run);
  if (!written) return tl::unexpected(written.error());
  if (*written == 1) return {};
  const auto row = row_of(*database_, run);
  if (!row) return tl::unexpected(row.error());
  return has_ended(run, row->state);
}

Result<bool> Store::abort_requested(const std::string& run) const {
  const auto found = this->run(run);
  if (!found) return tl::unexpected(found.error());
  return found->abort_requested;
}

Result<std::unique_ptr<Journal>> Store::journal(const std::string& run) {
  const auto row = row_of(*database_, run);
  if (!row) return tl::unexpected(row.error());
  return open_store_journal(database_, clock_, run, row->id);
}

Result<std::vector<LedgerEntry>> Store::ledger() const {
  return read_entries(*database_);
}

Result<std::vector<LedgerAccount>> Store::accounts() const {
  return read_accounts(*database_);
}

Result<void> Store::set_limit(const std::string& data, LedgerAmount limit) {
  return write_limit(*database_, data, limit, clock_());
}

}  // namespace sotto
