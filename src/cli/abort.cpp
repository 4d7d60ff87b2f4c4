#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/home.h"
#include "cli/run_view.h"
#include "cli/shown.h"
#include "cli/verb.h"
#include "study/study_file.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenLooks{100};
constexpr const char* kNote = "given up with sotto abort";

struct AbortOptions {
  Output output;
  std::string home;
  std::string which;
  double seconds = 30;
};

std::string listed(const std::vector<StoredRun>& runs) {
  std::string text;
  for (const StoredRun& run : runs) {
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", short_run(run.run),
                        harmless(run.study));
  }
  return text;
}

// A run is named by its first digits, or by its study's name or file.
Result<std::vector<StoredRun>> named(const std::vector<StoredRun>& runs, const std::string& which) {
  std::string hash;
  std::error_code problem;
  if (std::filesystem::is_regular_file(which, problem)) {
    const auto study = read_study(which);
    if (!study) return tl::unexpected(study.error());
    hash = study->hash;
  }
  std::vector<StoredRun> found;
  for (const StoredRun& run : runs) {
    const bool fits =
        hash.empty() ? run.run.starts_with(which) || run.study == which : run.study_hash == hash;
    if (fits) found.push_back(run);
  }
  return found;
}

Result<StoredRun> choose(const Store& store, const std::string& which) {
  const auto all = store.runs();
  if (!all) return tl::unexpected(all.error());
  std::vector<StoredRun> unfinished;
  for (const StoredRun& run : *all) {
    if (run.state == RunState::kRunning) unfinished.push_back(run);
  }
  if (unfinished.empty()) {
    return bad_input("E-abort-none", "there is no unfinished run",
                     "'sotto status' shows the runs that were, and --home says whose");
  }
  if (which.empty()) {
    if (unfinished.size() == 1) return unfinished.front();
    return bad_input("E-abort-choose", "several runs are unfinished",
                     fmt::format("name one: {}", listed(unfinished)));
  }
  const auto found = named(unfinished, which);
  if (!found) return tl::unexpected(found.error());
  if (found->size() == 1) return found->front();
  if (found->empty()) {
    return bad_input("E-abort-none",
                     fmt::format("no unfinished run is called \"{}\"", harmless(which)),
                     fmt::format("unfinished: {}", listed(unfinished)));
  }
  return bad_input("E-abort-choose",
                   fmt::format("\"{}\" stands for several unfinished runs", harmless(which)),
                   fmt::format("name one: {}", listed(*found)));
}

// Waits for the process that is in the run; where there is none, ends it here.
// True if it was ended here.
Result<bool> end_run(Store& store, const StoredRun& run, double seconds) {
  if (auto asked = store.request_abort(run.run); !asked) return tl::unexpected(asked.error());
  const auto late = steady_clock::now() + std::chrono::duration<double>(seconds);
  std::string holder;
  while (true) {
    const auto now = store.run(run.run);
    if (!now) return tl::unexpected(now.error());
    if (now->state != RunState::kRunning) return false;
    const auto lock = store.lock(run.study_hash);
    if (lock) {
      if (auto ended = store.abort(run.run, kNote); !ended) return tl::unexpected(ended.error());
      return true;
    }
    if (lock.error().name != "E-store-busy") return tl::unexpected(lock.error());
    holder = lock.error().what.substr(0, lock.error().what.find(" holds "));
    if (steady_clock::now() >= late) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return failed("E-abort-waiting",
                fmt::format("{} has not given the run up yet; it was asked to", holder),
                "'sotto status' shows when it has; a process that hangs can be ended, and then "
                "abort again");
}

std::string statement(const RunCost& before, const RunCost& after) {
  if (after.released()) {
    return fmt::format(
        "This party's noisy value was released once, or was about to be: ε = {:g}, δ = {:g} per {} "
        "stay spent.",
        after.epsilon, after.delta, harmless(after.unit));
  }
  std::string text = "Nothing readable has left this party, and nothing was spent.";
  if (before.held()) {
    text += fmt::format(" ε = {:g}, δ = {:g} that were held back are free again.",
                        before.held_epsilon, before.held_delta);
  }
  return text;
}

Result<std::string> abort_run(const AbortOptions& options) {
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  if (!Store::exists(*home)) {
    return tl::unexpected(
        bad_input("E-abort-none", "no run was ever begun there", "name the party's --home")
            .value()
            .at(*home));
  }
  auto store = Store::open(*home, unix_seconds);
  if (!store) return tl::unexpected(store.error());
  const auto run = choose(*store, options.which);
  if (!run) return tl::unexpected(run.error());
  const auto before = look_at_run(*store, *run);
  if (!before) return tl::unexpected(before.error());
  const auto here = end_run(*store, *run, options.seconds);
  if (!here) return tl::unexpected(here.error());
  const auto ended = store->run(run->run);
  if (!ended) return tl::unexpected(ended.error());
  const auto after = look_at_run(*store, *ended);
  if (!after) return tl::unexpected(after.error());

  const std::string said = statement(cost_of(*before), cost_of(*after));
  if (options.output.json()) {
    nlohmann::ordered_json json = to_json(*after);
    json["ended_by"] = *here ? "abort" : "its process";
    json["released"] = cost_of(*after).released();
    json["statement"] = said;
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  const std::string name = fmt::format("run {} of {}", short_run(run->run), harmless(run->study));
  if (ended->state != RunState::kAborted) {
    return fmt::format("{} had ended before it could be given up: {}.\n{}\n", name,
                       to_string(ended->state), said);
  }
  return fmt::format("{} is given up.\n{}\n{}", name, said,
                     *here ? "No process was in it, so the others were not told: they wait as long "
                             "as the study lets them.\n"
                           : "Its process told those it was connected to.\n");
}

}  // namespace

Verb add_abort(CLI::App& app) {
  auto options = std::make_shared<AbortOptions>();
  CLI::App* command =
      add_command(app, "abort", "gives an unfinished run up, and says what that cost",
                  "sotto abort energy --home ~/.sotto", options->output);
  command->add_option("run", options->which,
                      "the run's first digits, or its study's name or file; not needed if only "
                      "one is unfinished");
  command->add_option("--home", options->home,
                      "the party's folder; else $SOTTO_HOME, else ~/.sotto");
  constexpr double kMostSeconds = 3600;
  command
      ->add_option("--seconds", options->seconds, "how long to wait for the process that is in it")
      ->check(CLI::Range(0.0, kMostSeconds))
      ->capture_default_str();
  return {command, [options] { return abort_run(*options); }};
}

}  // namespace sotto
