// Reads a party's store for people and scripts, and ends what nobody is in any more.
#include "run/home.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/json.h"
#include "study/study.h"

namespace sotto {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};

std::string listed(const std::vector<StoredRun>& runs) {
  std::string text;
  for (const StoredRun& run : runs) {
    text +=
        fmt::format("{}{} of {}", text.empty() ? "" : ", ", short_run(public_id(run)), run.study);
  }
  return text;
}

Result<std::vector<StoredRun>> named(const std::vector<StoredRun>& runs, const std::string& which) {
  std::string hash;
  std::error_code problem;
  if (std::filesystem::is_regular_file(which, problem)) {
    SOTTO_ASSIGN(const Study study, read_study(which));
    hash = study.hash;
  }
  std::vector<StoredRun> found;
  for (const StoredRun& run : runs) {
    const bool fits = hash.empty() ? run.run.starts_with(which) || run.shared.starts_with(which) ||
                                         run.study == which
                                   : run.study_hash == hash;
    if (fits) found.push_back(run);
  }
  return found;
}

bool is_there(const std::string& path) {
  std::error_code problem;
  return std::filesystem::exists(path, problem);
}

// A run by its digits is that run; a study's name, or "last", is the last of them.
Result<StoredRun> one_of_runs(const std::vector<StoredRun>& runs, const std::string& which,
                              std::string_view kind) {
  if (runs.empty()) {
    return bad_input("E-run-unknown", fmt::format("there is no {}run", kind),
                     "'sotto status' shows the runs that there are, and --home says whose");
  }
  if (which == "last") return runs.back();
  SOTTO_ASSIGN(const auto found, named(runs, which));
  if (found.empty()) {
    return bad_input("E-run-unknown", fmt::format("no {}run is called \"{}\"", kind, which),
                     fmt::format("last, or one of: {}", listed(runs)));
  }
  const auto same_study = [&](const StoredRun& run) {
    return !run.run.starts_with(which) && !run.shared.starts_with(which);
  };
  if (found.size() == 1 || std::ranges::all_of(found, same_study)) return found.back();
  return bad_input("E-run-choose", fmt::format("\"{}\" stands for several runs", which),
                   fmt::format("name one: {}", listed(found)));
}

// True if it was ended here.
Result<bool> end_run(Store& store, const StoredRun& run, double seconds) {
  SOTTO_TRY(store.request_abort(run.run));
  const auto late = steady_clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    SOTTO_ASSIGN(const StoredRun now, store.run(run.run));
    if (now.state != RunState::kRunning) return false;
    SOTTO_ASSIGN(const auto lock, store.try_lock(run.study_hash));
    const LockHolder* holder = std::get_if<LockHolder>(&lock);
    if (holder == nullptr) {
      SOTTO_TRY(store.abort(run.run, "given up with sotto abort"));
      return true;
    }
    if (steady_clock::now() >= late) {
      return failed("E-abort-waiting",
                    fmt::format("{} has not given the run up yet; it was asked to", holder->name),
                    "'sotto status' shows when it has; a process that hangs can be ended, and "
                    "then abort again");
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Result<RunView> look_at_run(const Store& store, const StoredRun& run) {
  RunView view{.run = run, .entries = {}, .holder = std::nullopt};
  SOTTO_ASSIGN(const auto ledger, store.ledger());
  for (const LedgerEntry& entry : ledger) {
    if (entry.debit.run == run.run) view.entries.push_back(entry);
  }
  if (run.state != RunState::kRunning) return view;
  // A process in a run has the lock of its study; one that has ended, however, has none.
  SOTTO_ASSIGN(const auto lock, store.try_lock(run.study_hash));
  if (const auto* holder = std::get_if<LockHolder>(&lock)) view.holder = holder->name;
  return view;
}

}  // namespace

Result<std::string> home_folder(const std::string& option) {
  if (!option.empty()) return option;
  if (const char* home = std::getenv("SOTTO_HOME"); home != nullptr && *home != '\0') return home;
  if (const char* user = std::getenv("HOME"); user != nullptr && *user != '\0') {
    return fmt::format("{}/.sotto", user);
  }
  return bad_input("E-home", "neither SOTTO_HOME nor HOME says where your keys are",
                   "name the folder with --home");
}

Result<void> require_home(const std::string& home) {
  const auto missing = [&](std::string what) {
    return bad_input("E-home-missing", std::move(what),
                     "name the party's folder with --home; 'sotto keys new' makes one")
        .at(home);
  };
  struct stat found {};
  if (::stat(home.c_str(), &found) != 0) {
    return missing(errno == ENOENT || errno == ENOTDIR
                       ? "there is no such home"
                       : fmt::format("the home cannot be read: {}", std::strerror(errno)));
  }
  if (!S_ISDIR(found.st_mode)) return missing("the home is a file, and not a folder");
  if (::access(home.c_str(), R_OK | X_OK) != 0) {
    return missing(fmt::format("the home cannot be read: {}", std::strerror(errno)));
  }
  return {};
}

std::string utc_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

Result<std::vector<RunView>> look_at_runs(const std::string& home) {
  std::vector<RunView> views;
  if (!Store::exists(home)) return views;
  SOTTO_ASSIGN(const auto store, Store::open(home, unix_seconds));
  SOTTO_ASSIGN(const auto runs, store.runs());
  for (const StoredRun& run : runs) {
    SOTTO_ASSIGN(auto view, look_at_run(store, run));
    views.push_back(std::move(view));
  }
  return views;
}

Result<RunView> run_called(const std::string& home, const std::string& which) {
  if (!Store::exists(home)) return one_of_runs({}, which, "").error();
  SOTTO_ASSIGN(const auto store, Store::open(home, unix_seconds));
  SOTTO_ASSIGN(const auto runs, store.runs());
  SOTTO_ASSIGN(const auto run, one_of_runs(runs, which, ""));
  return look_at_run(store, run);
}

Result<std::string> find_run_file(const std::string& which, const std::string& home,
                                  const std::string& file) {
  const bool path = which.find('/') != std::string::npos || which.ends_with(".json");
  if (path || is_there(which)) return which;
  const auto folder = home_folder(home);
  if (!folder || !Store::exists(*folder)) {
    if (which != "last" || !folder) return which;
    SOTTO_TRY(require_home(*folder));
    return bad_input("E-run-unknown", "no run was ever begun from this home",
                     "name the party's folder with --home, or a file that a run has written")
        .at(*folder);
  }
  SOTTO_ASSIGN(const auto store, Store::open(*folder, unix_seconds));
  SOTTO_ASSIGN(auto runs, store.runs());
  std::erase_if(runs, [](const StoredRun& run) {
    return run.state != RunState::kFinished || run.files.empty();
  });
  SOTTO_ASSIGN(const auto run, one_of_runs(runs, which, "finished "));
  for (const std::string& kept : run.files) {
    if (std::filesystem::path(kept).filename() == file && is_there(kept)) return kept;
  }
  return bad_input(
      "E-run-files",
      fmt::format("the {} of run {} is not where it was written", file, short_run(public_id(run))),
      fmt::format("look for {}", run.files.empty() ? file : fmt::format("{}", run.files.front())));
}

RunCost cost_of(const RunView& view) {
  RunCost cost;
  for (const LedgerEntry& entry : view.entries) {
    const Debit& debit = entry.debit;
    cost.unit = debit.unit;
    if (entry.state == EntryState::kGivenUp && store::counts(entry)) cost.looked = true;
    if (entry.state != EntryState::kSpent && entry.state != EntryState::kReserved) continue;
    LedgerAmount& amount = entry.state == EntryState::kSpent ? cost.spent : cost.held;
    amount.epsilon += debit.epsilon;
    amount.delta += debit.delta;
  }
  return cost;
}

Json to_json(const LedgerEntry& entry, const std::string& run) {
  const auto charge_json = [](const ObserverCharge& charge) -> Json {
    return {{"observer", charge.observer},
            {"released", number_or_null(charge.released)},
            {"looks", number_or_null(charge.looks)}};
  };
  const auto booking_json = [](const Booking& booking) -> Json {
    return {{"tag", booking.tag},
            {"charges", json_list(booking.charges, [](const ObserverCharge& charge) -> Json {
               return {{"observer", charge.observer}, {"looks", number_or_null(charge.looks)}};
             })}};
  };
  const Debit& debit = entry.debit;
  return {{"time", utc_text(entry.time)},
          {"state", kEntryStates[entry.state]},
          {"run", run},
          {"own_run", debit.run},
          {"attempt", debit.attempt},
          {"study", debit.study},
          {"data", debit.data},
          {"unit", debit.unit},
          {"epsilon", debit.epsilon},
          {"delta", debit.delta},
          {"guaranteed", debit.guaranteed},
          {"colluders", debit.colluders},
          {"charges", json_list(debit.charges, charge_json)},
          {"booked", json_list(entry.bookings, booking_json)},
          {"laplace", {{"epsilon", debit.laplace_epsilon}, {"delta", debit.laplace_delta}}},
          {"excess_delta", debit.excess_delta},
          {"converted", entry.converted}};
}

Json to_json(const RunView& view) {
  const StoredRun& run = view.run;
  const auto entry_json = [&](const LedgerEntry& entry) { return to_json(entry, public_id(run)); };
  return {
      {"run", public_id(run)},
      {"own_run", run.run},
      {"study", run.study},
      {"study_hash", run.study_hash},
      {"state", kRunStates[run.state]},
      // What it was doing when it ended tells nothing about a run that has ended.
      {"phase", run.state == RunState::kRunning ? Json(run.phase) : Json(kRunStates[run.state])},
      {"began", utc_text(run.started)},
      {"ended", run.ended ? Json(utc_text(*run.ended)) : Json(nullptr)},
      {"process", view.holder ? Json(*view.holder) : Json(nullptr)},
      {"abort_requested", run.abort_requested},
      {"note", run.note},
      {"files", run.files},
      {"ledger", json_list(view.entries, entry_json)}};
}

Result<StoredRun> unfinished_run(const Store& store, const std::string& which) {
  SOTTO_ASSIGN(auto unfinished, store.runs());
  std::erase_if(unfinished, [](const StoredRun& run) { return run.state != RunState::kRunning; });
  if (unfinished.empty()) {
    return bad_input("E-abort-none", "there is no unfinished run",
                     "'sotto status' shows the runs that were, and --home says whose");
  }
  if (which.empty()) {
    if (unfinished.size() == 1) return unfinished.front();
    return bad_input("E-abort-choose", "several runs are unfinished",
                     fmt::format("name one: {}", listed(unfinished)));
  }
  SOTTO_ASSIGN(const auto found, named(unfinished, which));
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return bad_input("E-abort-none", fmt::format("no unfinished run is called \"{}\"", which),
                     fmt::format("unfinished: {}", listed(unfinished)));
  }
  return bad_input("E-abort-choose",
                   fmt::format("\"{}\" stands for several unfinished runs", which),
                   fmt::format("name one: {}", listed(found)));
}

Result<GivenUp> give_up_run(Store& store, const StoredRun& run, double seconds) {
  GivenUp given_up;
  SOTTO_ASSIGN(given_up.before, look_at_run(store, run));
  SOTTO_ASSIGN(const bool here, end_run(store, run, seconds));
  given_up.by_process = !here;
  SOTTO_ASSIGN(const StoredRun ended, store.run(run.run));
  SOTTO_ASSIGN(given_up.after, look_at_run(store, ended));
  return given_up;
}

}  // namespace sotto
