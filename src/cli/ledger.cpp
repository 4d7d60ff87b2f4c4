// `sotto ledger`: what was spent, on what, and what is left; accounts, and the limit that the owner
// sets.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "cli/text/account_text.h"
#include "run/home.h"
#include "run/ledger_view.h"
#include "store/store.h"

namespace sotto {
namespace {

struct LedgerOptions {
  std::string home;
  std::string data;
  std::string run;  // whose entries; empty: all
  LedgerLimit limit;
  bool no_limit = false;
};

std::string ledger_text(const std::string& home, const LedgerView& view) {
  if (view.accounts.empty() && view.entries.empty()) {
    return fmt::format("There is no account in {}, and nothing was spent.\n", home);
  }
  std::string text;
  for (const LedgerAccount& account : view.accounts) text += account_text(account) + "\n";
  if (view.entries.empty()) return text;
  constexpr const char* kRow = "{:<20}  {:<8}  {:<10}  {:<10}  {:<14}  {:<16}  {:<12}  {}\n";
  text += fmt::format(kRow, "when", "state", "ε", "δ", "guaranteed", "study", "run", "account");
  for (const LedgerEntry& entry : view.entries) {
    const Debit& debit = entry.debit;
    text += fmt::format(kRow, utc_text(entry.time), kEntryStates[entry.state],
                        fmt::format("{:.6g}", debit.epsilon), fmt::format("{:.6g}", debit.delta),
                        escape_for_terminal(debit.guaranteed), escape_for_terminal(debit.study),
                        short_run(view.name_of(debit.run)), escape_for_terminal(debit.data));
  }
  return text;
}

Result<LedgerView> view_of(const Store& store, const std::string& data) {
  LedgerView view;
  SOTTO_ASSIGN(auto account, store.account(data));
  view.accounts.push_back(std::move(account));
  return view;
}

Result<LedgerView> new_account(const std::string& home, const LedgerOptions& options,
                               bool with_epsilon) {
  if (with_epsilon == options.no_limit) {
    return bad_input("E-ledger-limit",
                     options.no_limit ? "an account has a limit, or none: not both"
                                      : "an account needs a limit, or the word that it has none",
                     "--epsilon with the most that may be lost in all, or --no-limit");
  }
  SOTTO_ASSIGN(auto store, Store::open(home, unix_seconds));
  SOTTO_TRY(options.no_limit ? store.new_account_without_limit(options.data, options.limit.delta)
                             : store.new_account(options.data, options.limit));
  return view_of(store, options.data);
}

// gt's share stays as it is unless it is named.
Result<LedgerView> set_limit(const std::string& home, const LedgerOptions& options,
                             bool with_share) {
  SOTTO_ASSIGN(auto store, Store::open(home, unix_seconds));
  SOTTO_ASSIGN(const auto account, store.account(options.data));
  LedgerLimit limit = options.limit;
  if (!with_share && account.limit) {
    limit.gt_epsilon = account.limit->gt_epsilon;
    limit.gt_delta = account.limit->gt_delta;
  }
  SOTTO_TRY(store.set_limit(options.data, limit));
  return view_of(store, options.data);
}

void add_share(const Syntax& word, LedgerLimit& limit) {
  word.number("--gt-epsilon", limit.gt_epsilon, "of it, for gt's truncated Laplace noise");
  word.number("--gt-delta", limit.gt_delta, "likewise");
}

}  // namespace

Verb add_ledger(const Syntax& program) {
  auto options = std::make_shared<LedgerOptions>();
  const Syntax verb =
      program.verb("ledger", "what was spent, on what, and what is left; makes accounts",
                   "sotto ledger\n  sotto ledger new patients --epsilon 10 --delta 1e-5");
  verb.text("run", options->run,
            "the entries of one run alone: its first digits, its study's name or file, or last");
  verb.group(kWhoAndWhere).text("--home", options->home, kHomeHelp);
  const Syntax create = verb.word("new", "an account for people whom none is about yet",
                                  "sotto ledger new patients --epsilon 10 --delta 1e-5");
  create.text("name", options->data, "what --account calls it", Need::kRequired);
  const Syntax create_limit = create.group("The limit");
  create_limit.number("--epsilon", options->limit.epsilon,
                      "the largest ε of everything together: fixed beforehand, it is a guarantee");
  create_limit.number("--delta", options->limit.delta, "at this δ", Need::kRequired);
  create_limit.flag("--no-limit", options->no_limit,
                    "no limit: the ledger only says what was spent");
  add_share(create_limit, options->limit);
  const Syntax limit = verb.word(
      "limit", "changes what may be spent from an account; a run that would pass it is refused",
      "sotto ledger limit --data patients --epsilon 12 --delta 1e-5");
  limit.group("The account")
      .text("--data", options->data, "the account, as 'sotto ledger' shows it", Need::kRequired);
  const Syntax new_limit = limit.group("The limit");
  new_limit.number("--epsilon", options->limit.epsilon, "the largest ε of everything together",
                   Need::kRequired);
  new_limit.number("--delta", options->limit.delta, "at this δ", Need::kRequired);
  add_share(new_limit, options->limit);
  auto run = [options, create, limit](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto home, home_folder(options->home));
    const bool share = limit.chosen() && (limit.given("--gt-epsilon") || limit.given("--gt-delta"));
    SOTTO_ASSIGN(const auto view, create.chosen()
                                      ? new_account(home, *options, create.given("--epsilon"))
                                  : limit.chosen() ? set_limit(home, *options, share)
                                                   : read_ledger(home, options->run));
    if (output.json()) return json_text(to_json(view));
    if (!options->run.empty() && view.entries.empty()) {
      return std::string("That run has held nothing back, and spent nothing.\n");
    }
    return ledger_text(home, view);
  };
  return {verb, run};
}

}  // namespace sotto
