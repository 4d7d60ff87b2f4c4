// `sotto status`: where this party's runs stand.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "run/home.h"

namespace sotto {
namespace {

std::string state_text(const RunView& view) {
  std::string text(kRunStates[view.run.state]);
  if (view.run.state != RunState::kRunning) return text;
  if (view.holder) {
    text += fmt::format("; {} is in it", *view.holder);
    return view.run.abort_requested ? text + ", and was asked to give it up" : text;
  }
  return text + "; no process is in it: 'sotto join' resumes it, 'sotto abort' gives it up";
}

std::string ledger_lines(const RunView& view) {
  if (view.entries.empty()) return "  ledger   nothing held back, nothing spent\n";
  std::string text;
  for (const LedgerEntry& entry : view.entries) {
    const Debit& debit = entry.debit;
    text += fmt::format("  ledger   ε = {:g}, δ = {:g} per {} {} at {} for \"{}\"\n", debit.epsilon,
                        debit.delta, escape_for_terminal(debit.unit), kEntryStates[entry.state],
                        utc_text(entry.time), escape_for_terminal(debit.data));
  }
  return text;
}

std::string status_text(const RunView& view) {
  const StoredRun& run = view.run;
  std::string text = fmt::format("{}, run {}: {}\n", escape_for_terminal(run.study),
                                 short_run(public_id(run)), state_text(view));
  text += fmt::format("  began    {}\n", utc_text(run.started));
  if (run.ended) text += fmt::format("  ended    {}\n", utc_text(*run.ended));
  if (run.state == RunState::kRunning && !run.phase.empty()) {
    text += fmt::format("  {}    {}\n", view.holder ? "now  " : "was  ",
                        escape_for_terminal(run.phase));
  }
  if (!run.note.empty()) text += fmt::format("  why      {}\n", escape_for_terminal(run.note));
  text += ledger_lines(view);
  for (const std::string& file : run.files)
    text += fmt::format("  file     {}\n", escape_for_terminal(file));
  return text;
}

struct StatusOptions {
  std::string home;
  std::string which;  // empty: all
};

Result<std::string> status(const StatusOptions& options, Output output) {
  SOTTO_ASSIGN(const auto home, home_folder(options.home));
  SOTTO_TRY(require_home(home));
  std::vector<RunView> views;
  if (options.which.empty()) {
    SOTTO_ASSIGN(views, look_at_runs(home));
  } else {
    SOTTO_ASSIGN(auto view, run_called(home, options.which));
    views.push_back(std::move(view));
  }
  if (output.json()) {
    const auto view_json = [](const RunView& view) { return to_json(view); };
    return json_text({{"home", home}, {"runs", json_list(views, view_json)}});
  }
  if (views.empty()) return fmt::format("No run was ever begun from {}.\n", home);
  std::string text;
  for (const RunView& view : views) text += (text.empty() ? "" : "\n") + status_text(view);
  return text;
}

}  // namespace

Verb add_status(const Syntax& program) {
  auto options = std::make_shared<StatusOptions>();
  const Syntax verb =
      program.verb("status", "where this party's runs stand", "sotto status\n  sotto status last");
  verb.text("run", options->which,
            "one run alone: its first digits, its study's name or file, or last");
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  return {verb, [options](Output output) { return status(*options, output); }};
}

}  // namespace sotto
