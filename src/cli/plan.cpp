// `sotto plan`: what follows from the study alone.
#include "plan/plan.h"

#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/account_text.h"
#include "cli/command_line.h"
#include "run/account.h"
#include "run/home.h"
#include "study/study.h"

namespace sotto {
namespace {

// What a run would cost an account of this party. No data is touched, and nothing is reserved.
Result<AccountForecast> forecast(const Study& study, const Plan& plan, const std::string& account,
                                 const std::string& home) {
  SOTTO_ASSIGN(const auto folder, home_folder(home));
  if (!Store::exists(folder)) {
    return bad_input("E-account-unknown", fmt::format("there is no ledger in {}", folder),
                     "name the party's --home, or make an account there with 'sotto ledger new'");
  }
  SOTTO_ASSIGN(const auto store, Store::open(folder, unix_seconds));
  const Debit debit = debit_of(study, plan, account);
  AccountForecast made;
  SOTTO_ASSIGN(made.before, store.account(account));
  SOTTO_ASSIGN(made.with, store.account_with(debit));
  made.runs_left = runs_left(made.before, debit);
  if (const auto affords = store.affords(debit); !affords) made.refusal = affords.error();
  return made;
}

}  // namespace

Verb add_plan(const Syntax& program) {
  struct Options {
    std::string study;
    std::string solver;
    std::string account;
    std::string home;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb = program.verb(
      "plan", "noise, privacy per adversary, expected error, rounds, bytes; touches no data",
      "sotto plan examples/paper.toml");
  verb.text("study", options->study, "the study, a TOML file", Need::kRequired);
  verb.text("--solver", options->solver, "gt, dishuf, ac or pairwise in place of the study's");
  verb.text("--account", options->account, "also what a run would cost this account of the ledger");
  verb.text("--home", options->home, kHomeHelp);
  auto run = [options](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto study, read_study(options->study));
    Solver solver = study.solver;
    if (!options->solver.empty()) {
      SOTTO_ASSIGN(solver, solver_from(options->solver).at("--solver"));
    }
    SOTTO_ASSIGN(const auto plan, make_plan(study, solver).at(options->study));
    if (options->account.empty()) {
      return output.json() ? json_text(to_json(study, plan)) : to_text(study, plan);
    }
    SOTTO_ASSIGN(const auto cost,
                 forecast(study, plan, options->account, options->home).at("--account"));
    if (!output.json()) return to_text(study, plan) + forecast_text(cost);
    Json json = to_json(study, plan);
    json["account"] = forecast_json(cost);
    return json_text(json);
  };
  return {verb, run};
}

}  // namespace sotto
