// `sotto abort`: gives an unfinished run up, and says what that cost. The giving up is
// run/home.h's.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "run/home.h"

namespace sotto {
namespace {

struct AbortOptions {
  std::string home;
  std::string which;
  double seconds = 30;
};

std::string statement(const RunCost& before, const RunCost& after) {
  if (after.released()) {
    return fmt::format(
        "This party's noisy value was released once, or was about to be: ε = {:g}, δ = {:g} per {} "
        "stay spent.",
        after.spent.epsilon, after.spent.delta, escape_for_terminal(after.unit));
  }
  std::string text =
      after.looked
          ? "This party's value was not released. Its neighbours may have seen masked looks at it: "
            "those are booked, 'sotto ledger' shows them."
          : "Nothing readable has left this party, and nothing was spent.";
  if (before.held.epsilon > 0 || before.held.delta > 0) {
    text += fmt::format(" {} ε = {:g}, δ = {:g} that were held back {} free again.",
                        after.looked ? "The rest of" : "The", before.held.epsilon,
                        before.held.delta, after.looked ? "is" : "are");
  }
  return text;
}

std::string abort_text(const GivenUp& end, const std::string& said) {
  const StoredRun& run = end.after.run;
  const std::string name =
      fmt::format("run {} of {}", short_run(public_id(run)), escape_for_terminal(run.study));
  if (run.state != RunState::kAborted) {
    return fmt::format("{} had ended before it could be given up: {}.\n{}\n", name,
                       kRunStates[run.state], said);
  }
  return fmt::format("{} is given up.\n{}\n{}", name, said,
                     end.by_process
                         ? "Its process told those it was connected to.\n"
                         : "No process was in it, so the others were not told: they wait as long "
                           "as the study lets them.\n");
}

Result<std::string> abort_run(const AbortOptions& options, Output output) {
  SOTTO_ASSIGN(const auto home, home_folder(options.home));
  if (!Store::exists(home)) {
    return bad_input("E-abort-none", "no run was ever begun there", "name the party's --home")
        .at(home);
  }
  SOTTO_ASSIGN(auto store, Store::open(home, unix_seconds));
  SOTTO_ASSIGN(const auto run, unfinished_run(store, options.which));
  SOTTO_ASSIGN(const auto end, give_up_run(store, run, options.seconds));
  const RunCost cost = cost_of(end.after);
  const std::string said = statement(cost_of(end.before), cost);
  if (!output.json()) return abort_text(end, said);
  Json json = to_json(end.after);
  json["ended_by"] = end.by_process ? "its process" : "abort";
  json["released"] = cost.released();
  json["statement"] = said;
  return json_text(json);
}

}  // namespace

Verb add_abort(const Syntax& program) {
  auto options = std::make_shared<AbortOptions>();
  const Syntax verb = program.verb("abort", "gives an unfinished run up, and says what that cost",
                                   "sotto abort energy --home ~/.sotto");
  verb.text("run", options->which,
            "the run's first digits, or its study's name or file; not needed if only one is "
            "unfinished");
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  verb.group(kWhoAndWhere)
      .seconds("--seconds", options->seconds, "how long to wait for the process that is in it");
  return {verb, [options](Output output) { return abort_run(*options, output); }};
}

}  // namespace sotto
