// `sotto ledger`: what was spent, on what, and what is left; and the limit that the owner sets.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "run/home.h"
#include "store/store.h"

namespace sotto {
namespace {

struct LedgerOptions {
  std::string home;
  std::string data;
  LedgerAmount limit;
};

struct LedgerView {
  std::vector<LedgerAccount> accounts;
  std::vector<LedgerEntry> entries;
};

// To look at a ledger makes none.
Result<LedgerView> read_ledger(const std::string& home) {
  LedgerView view;
  if (!Store::exists(home)) return view;
  SOTTO_ASSIGN(const auto store, Store::open(home, unix_seconds));
  SOTTO_ASSIGN(view.accounts, store.accounts());
  SOTTO_ASSIGN(view.entries, store.ledger());
  return view;
}

std::string amount_text(const LedgerAmount& amount) {
  return fmt::format("ε = {:.10g}, δ = {:.10g}", amount.epsilon, amount.delta);
}

std::string account_text(const LedgerAccount& account) {
  std::string text = escape_for_terminal(account.data);
  if (!account.unit.empty()) text += fmt::format(", per {}", escape_for_terminal(account.unit));
  text += fmt::format("\n  spent  {}\n", amount_text(account.spent));
  if (!account.limit) return text + "  limit  none: set one with 'sotto ledger limit'\n";
  return text + fmt::format("  limit  {}\n  left   {}\n", amount_text(*account.limit),
                            amount_text(*account.left));
}

std::string ledger_text(const std::string& home, const LedgerView& view) {
  if (view.accounts.empty()) return fmt::format("Nothing was spent from {}.\n", home);
  std::string text;
  for (const LedgerAccount& account : view.accounts) text += account_text(account) + "\n";
  if (view.entries.empty()) return text;
  constexpr const char* kRow = "{:<20}  {:<8}  {:<10}  {:<10}  {:<16}  {:<12}  {}\n";
  text += fmt::format(kRow, "when", "state", "ε", "δ", "study", "run", "data");
  for (const auto& [debit, state, time] : view.entries) {
    text +=
        fmt::format(kRow, utc_text(time), kEntryStates[state], fmt::format("{:.6g}", debit.epsilon),
                    fmt::format("{:.6g}", debit.delta), escape_for_terminal(debit.study),
                    short_run(debit.run), escape_for_terminal(debit.data));
  }
  return text;
}

Json amount_json(const std::optional<LedgerAmount>& amount) {
  if (!amount) return nullptr;
  return {{"epsilon", amount->epsilon}, {"delta", amount->delta}};
}

Json account_json(const LedgerAccount& account) {
  return {{"data", account.data},
          {"unit", account.unit},
          {"spent", amount_json(account.spent)},
          {"limit", amount_json(account.limit)},
          {"left", amount_json(account.left)}};
}

Json entry_json(const LedgerEntry& entry) {
  const Debit& debit = entry.debit;
  return {{"time", utc_text(entry.time)},
          {"state", kEntryStates[entry.state]},
          {"run", debit.run},
          {"attempt", debit.attempt},
          {"study", debit.study},
          {"data", debit.data},
          {"unit", debit.unit},
          {"epsilon", debit.epsilon},
          {"delta", debit.delta}};
}

std::string ledger_json(const LedgerView& view) {
  return json_text({{"accounts", json_list(view.accounts, account_json)},
                    {"entries", json_list(view.entries, entry_json)}});
}

Result<LedgerView> set_limit(const std::string& home, const LedgerOptions& options) {
  SOTTO_ASSIGN(auto store, Store::open(home, unix_seconds));
  SOTTO_TRY(store.set_limit(options.data, options.limit));
  SOTTO_ASSIGN(auto accounts, store.accounts());
  std::erase_if(accounts, [&](const auto& account) { return account.data != options.data; });
  return LedgerView{.accounts = std::move(accounts), .entries = {}};
}

}  // namespace

Verb add_ledger(const Syntax& program) {
  auto options = std::make_shared<LedgerOptions>();
  const Syntax verb =
      program.verb("ledger", "what was spent, on what, and what is left",
                   "sotto ledger\n  sotto ledger limit --data \"all data\" --epsilon 2 "
                   "--delta 1e-5");
  verb.text("--home", options->home, kHomeHelp);
  const Syntax limit = verb.word(
      "limit", "what may be spent on one table in all; a run that would pass it is refused");
  limit.text("--data", options->data, "the name, as 'sotto ledger' shows it", Need::kRequired);
  limit.number("--epsilon", options->limit.epsilon, "the largest Σε", Need::kRequired);
  limit.number("--delta", options->limit.delta, "the largest Σδ", Need::kRequired);
  auto run = [options, limit](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto home, home_folder(options->home));
    SOTTO_ASSIGN(const auto view, limit.chosen() ? set_limit(home, *options) : read_ledger(home));
    return output.json() ? ledger_json(view) : ledger_text(home, view);
  };
  return {verb, run};
}

}  // namespace sotto
