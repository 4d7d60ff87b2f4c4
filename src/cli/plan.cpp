// `sotto plan`: what follows from the study alone, held against the policy of whoever asks.
#include "plan/plan.h"

#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/account_text.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "run/account.h"
#include "run/consent/policy_check.h"
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

// Of a party's home, if somebody plans on a machine that has one.
Result<std::optional<Policy>> policy_of(const std::string& option) {
  const auto home = home_folder(option);
  return home ? read_policy(*home) : std::optional<Policy>{};
}

}  // namespace

Verb add_plan(const Syntax& program) {
  struct Options {
    std::string study;
    std::string solver;
    std::string account;
    std::string home;
    std::uint64_t rows = 0;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb = program.verb(
      "plan", "noise, privacy per adversary, expected error, rounds, bytes; touches no data",
      "sotto plan examples/paper.toml");
  verb.text("study", options->study, "the study, a TOML file", Need::kRequired);
  verb.text("--solver", options->solver, "gt, dishuf, ac or pairwise in place of the study's");
  verb.text("--account", options->account, "also what a run would cost this account of the ledger");
  verb.whole("--rows", options->rows,
             "how many rows all tables have together, if that is known: "
             "warns of a δ above 1/rows",
             {.from = 1});
  verb.text("--home", options->home,
            "whose policy.toml the study is held against, and whose ledger --account is in; else "
            "$SOTTO_HOME, else ~/.sotto");
  auto run = [options, verb](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto study, read_study(options->study));
    Solver solver = study.solver;
    if (!options->solver.empty()) {
      SOTTO_ASSIGN(solver, solver_from(options->solver).at("--solver"));
    }
    SOTTO_ASSIGN(auto plan, make_plan(study, solver).at(options->study));
    if (verb.given("--rows")) {
      if (auto weak = weak_delta(study.privacy.budget, options->rows)) {
        plan.warnings.push_back(std::move(*weak));
      }
    }
    SOTTO_ASSIGN(const auto policy, policy_of(options->home));
    if (policy) {
      const auto broken = policy_against_study(*policy, study, solver, plan.adversaries);
      if (!broken.empty()) return broken.front();
    }
    std::string text = to_text(study, plan);
    Json json = to_json(study, plan);
    if (!options->account.empty()) {
      SOTTO_ASSIGN(const auto cost,
                   forecast(study, plan, options->account, options->home).at("--account"));
      text += forecast_text(cost);
      json["account"] = forecast_json(cost);
    }
    if (policy) {
      text += fmt::format("\n  {:<12} keeps {}\n", "policy", escape_for_terminal(policy->file));
      json["policy"] = policy->file;
    }
    if (!output.json()) return text;
    return json_text(json);
  };
  return {verb, run};
}

}  // namespace sotto
