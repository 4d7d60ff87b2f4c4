#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/home.h"
#include "cli/shown.h"
#include "cli/verb.h"
#include "network/store.h"

namespace sotto {
namespace {

struct LedgerOptions {
  Output output;
  std::string home;
  std::string data;
  LedgerAmount limit;
};

struct LedgerView {
  std::vector<LedgerAccount> accounts;
  std::vector<LedgerEntry> entries;
};

// To look at a ledger makes none.
Result<LedgerView> look(const std::string& home) {
  LedgerView view;
  if (!Store::exists(home)) return view;
  const auto store = Store::open(home, unix_seconds);
  if (!store) return tl::unexpected(store.error());
  auto accounts = store->accounts();
  if (!accounts) return tl::unexpected(accounts.error());
  auto entries = store->ledger();
  if (!entries) return tl::unexpected(entries.error());
  return LedgerView{.accounts = std::move(*accounts), .entries = std::move(*entries)};
}

std::string shown(const LedgerAmount& amount) {
  return fmt::format("ε = {:.10g}, δ = {:.10g}", amount.epsilon, amount.delta);
}

std::string account_text(const LedgerAccount& account) {
  std::string text = harmless(account.data);
  if (!account.unit.empty()) text += fmt::format(", per {}", harmless(account.unit));
  text += fmt::format("\n  spent  {}\n", shown(account.spent));
  if (!account.limit) return text + "  limit  none: set one with 'sotto ledger limit'\n";
  return text +
         fmt::format("  limit  {}\n  left   {}\n", shown(*account.limit), shown(*account.left));
}

std::string text_of(const std::string& home, const LedgerView& view) {
  if (view.accounts.empty()) return fmt::format("Nothing was spent from {}.\n", home);
  std::string text;
  for (const LedgerAccount& account : view.accounts) text += account_text(account) + "\n";
  if (view.entries.empty()) return text;
  constexpr const char* kRow = "{:<20}  {:<8}  {:<10}  {:<10}  {:<16}  {:<12}  {}\n";
  text += fmt::format(kRow, "when", "state", "ε", "δ", "study", "run", "data");
  for (const auto& [debit, state, time] : view.entries) {
    text += fmt::format(kRow, utc_text(time), to_string(state),
                        fmt::format("{:.6g}", debit.epsilon), fmt::format("{:.6g}", debit.delta),
                        harmless(debit.study), short_run(debit.run), harmless(debit.data));
  }
  return text;
}

nlohmann::ordered_json amount_json(const std::optional<LedgerAmount>& amount) {
  if (!amount) return nullptr;
  return {{"epsilon", amount->epsilon}, {"delta", amount->delta}};
}

nlohmann::ordered_json account_json(const LedgerAccount& account) {
  return {{"data", account.data},
          {"unit", account.unit},
          {"spent", amount_json(account.spent)},
          {"limit", amount_json(account.limit)},
          {"left", amount_json(account.left)}};
}

std::string json_of(const LedgerView& view) {
  nlohmann::ordered_json json{{"accounts", nlohmann::ordered_json::array()},
                              {"entries", nlohmann::ordered_json::array()}};
  for (const LedgerAccount& account : view.accounts) {
    json["accounts"].push_back(account_json(account));
  }
  for (const auto& [debit, state, time] : view.entries) {
    json["entries"].push_back({{"time", utc_text(time)},
                               {"state", to_string(state)},
                               {"run", debit.run},
                               {"attempt", debit.attempt},
                               {"study", debit.study},
                               {"data", debit.data},
                               {"unit", debit.unit},
                               {"epsilon", debit.epsilon},
                               {"delta", debit.delta}});
  }
  // Names need not be UTF-8, and JSON must.
  using Dump = nlohmann::ordered_json;
  return json.dump(2, ' ', false, Dump::error_handler_t::replace) + "\n";
}

Result<std::string> show(const LedgerOptions& options) {
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  const auto view = look(*home);
  if (!view) return tl::unexpected(view.error());
  return options.output.json() ? json_of(*view) : text_of(*home, *view);
}

Result<std::string> set_limit(const LedgerOptions& options) {
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  auto store = Store::open(*home, unix_seconds);
  if (!store) return tl::unexpected(store.error());
  if (auto set = store->set_limit(options.data, options.limit); !set) {
    return tl::unexpected(set.error());
  }
  const auto accounts = store->accounts();
  if (!accounts) return tl::unexpected(accounts.error());
  LedgerView view;
  for (const LedgerAccount& account : *accounts) {
    if (account.data == options.data) view.accounts.push_back(account);
  }
  return options.output.json() ? json_of(view) : text_of(*home, view);
}

}  // namespace

Verb add_ledger(CLI::App& app) {
  auto options = std::make_shared<LedgerOptions>();
  CLI::App* command =
      add_command(app, "ledger", "what was spent, on what, and what is left",
                  "sotto ledger\n  sotto ledger limit --data \"all data\" --epsilon 2 "
                  "--delta 1e-5",
                  options->output);
  command->add_option("--home", options->home,
                      "the party's folder; else $SOTTO_HOME, else ~/.sotto");
  CLI::App* limit = command->add_subcommand(
      "limit", "what may be spent on one table in all; a run that would pass it is refused");
  // --home and --format may stand after the word too.
  limit->fallthrough();
  limit->add_option("--data", options->data, "the name, as 'sotto ledger' shows it")->required();
  limit->add_option("--epsilon", options->limit.epsilon, "the largest Σε")->required();
  limit->add_option("--delta", options->limit.delta, "the largest Σδ")->required();
  auto run = [options, limit]() -> Result<std::string> {
    return limit->parsed() ? set_limit(*options) : show(*options);
  };
  return {command, run};
}

}  // namespace sotto
