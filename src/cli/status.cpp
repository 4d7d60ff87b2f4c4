#include <fmt/format.h>

#include <memory>

#include "cli/home.h"
#include "cli/run_view.h"
#include "cli/shown.h"
#include "cli/verb.h"

namespace sotto {
namespace {

struct StatusOptions {
  Output output;
  std::string home;
};

std::string state_text(const RunView& view) {
  std::string text = to_string(view.run.state);
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
  for (const auto& [debit, state, time] : view.entries) {
    text += fmt::format("  ledger   ε = {:g}, δ = {:g} per {} {} at {} for \"{}\"\n", debit.epsilon,
                        debit.delta, harmless(debit.unit), to_string(state), utc_text(time),
                        harmless(debit.data));
  }
  return text;
}

std::string status_text(const RunView& view) {
  const StoredRun& run = view.run;
  std::string text =
      fmt::format("{}, run {}: {}\n", harmless(run.study), short_run(run.run), state_text(view));
  text += fmt::format("  began    {}\n", utc_text(run.started));
  if (run.ended) text += fmt::format("  ended    {}\n", utc_text(*run.ended));
  if (run.state == RunState::kRunning && !run.phase.empty()) {
    text += fmt::format("  {}    {}\n", view.holder ? "now  " : "was  ", harmless(run.phase));
  }
  if (!run.note.empty()) text += fmt::format("  why      {}\n", harmless(run.note));
  text += ledger_lines(view);
  for (const std::string& file : run.files) text += fmt::format("  file     {}\n", harmless(file));
  return text;
}

Result<std::string> status(const StatusOptions& options) {
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  const auto views = look_at_runs(*home);
  if (!views) return tl::unexpected(views.error());
  if (options.output.json()) {
    nlohmann::ordered_json json{{"home", *home}, {"runs", nlohmann::ordered_json::array()}};
    for (const RunView& view : *views) json["runs"].push_back(to_json(view));
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  if (views->empty()) return fmt::format("No run was ever begun from {}.\n", *home);
  std::string text;
  for (const RunView& view : *views) text += (text.empty() ? "" : "\n") + status_text(view);
  return text;
}

}  // namespace

Verb add_status(CLI::App& app) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* command = add_command(app, "status", "where this party's runs stand",
                                  "sotto status --home ~/.sotto", options->output);
  command->add_option("--home", options->home,
                      "the party's folder; else $SOTTO_HOME, else ~/.sotto");
  return {command, [options] { return status(*options); }};
}

}  // namespace sotto
