#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

// A party's home: where it is, which runs are in it, what they cost, and how an unfinished one is
// given up.
namespace sotto {

// Where a party's key, journal and ledger are: what --home says, else $SOTTO_HOME, else ~/.sotto.
// E-home.
[[nodiscard]] Result<std::string> home_folder(const std::string& option);

// Whether there is a home to look into. E-home-missing: no such folder, a file, or one that cannot
// be read. To look into one makes none.
[[nodiscard]] Result<void> require_home(const std::string& home);

// 2026-01-31T09:00:00Z
[[nodiscard]] std::string utc_text(std::int64_t seconds);

// One of a party's runs as its store has it, and whether a process is in it now.
struct RunView {
  StoredRun run;
  std::vector<LedgerEntry> entries;   // what its attempts cost
  std::optional<std::string> holder;  // "process 4242"
};

// All of them, in the order they began; makes no store where there is none.
[[nodiscard]] Result<std::vector<RunView>> look_at_runs(const std::string& home);

// What of a run has left the party, and what that cost.
struct RunCost {
  LedgerAmount spent;   // for ever
  LedgerAmount held;    // back: what of it is free again if the run ends before the release
  bool looked = false;  // offers were answered, or may have been: looks are booked, for ever
  std::string unit;
  [[nodiscard]] bool released() const { return spent.epsilon > 0 || spent.delta > 0; }
};
[[nodiscard]] RunCost cost_of(const RunView& view);

// The runs that `which` stands for: its first digits, its study's name or file, or "last", the one
// that began last. E-run-unknown lists those that there are, E-run-choose several that fit.
[[nodiscard]] Result<RunView> run_called(const std::string& home, const std::string& which);

// Where a finished run's file is: `which` is a path if there is something, else a run of the home,
// "last" or a study's name the last one that was finished. What is neither stays a path, for
// whoever reads it to complain about. `file` is kRecordFile or kModelFile. E-run-unknown,
// E-run-choose, E-run-files if the run's files are not where they were.
inline constexpr const char* kModelFile = "model.json";
[[nodiscard]] Result<std::string> find_run_file(const std::string& which, const std::string& home,
                                                const std::string& file);

// An entry knows its run by this party's own name; `run` is the one that all parties have for it.
[[nodiscard]] nlohmann::ordered_json to_json(const LedgerEntry& entry, const std::string& run);
[[nodiscard]] nlohmann::ordered_json to_json(const RunView& view);

// The unfinished run that `which` stands for: its first digits, its study's name or file, or
// nothing if there is only one. E-abort-none, E-abort-choose.
[[nodiscard]] Result<StoredRun> unfinished_run(const Store& store, const std::string& which);

struct GivenUp {
  RunView before;
  RunView after;            // it may have ended otherwise in the meantime
  bool by_process = false;  // by the process that was in it; otherwise here
};

// Asks the process that is in the run, and waits for it; where there is none, ends it here.
// E-abort-waiting if it has not obeyed in time.
[[nodiscard]] Result<GivenUp> give_up_run(Store& store, const StoredRun& run, double seconds);

}  // namespace sotto
