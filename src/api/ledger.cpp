// sotto::v1::Account and read_ledger: the ledger's own rules, and its own words.

#include <sotto/ledger.h>

#include <algorithm>

#include "api/account.h"
#include "base/json.h"
#include "run/home.h"
#include "run/ledger_view.h"

namespace sotto::v1 {

Result<Account> Account::in_memory(double epsilon, double delta) {
  SOTTO_ASSIGN(auto store, Store::in_memory(unix_seconds));
  const std::string name = "this process";
  SOTTO_TRY(store.new_account(name, {.epsilon = epsilon, .delta = delta}));
  return Account(std::make_shared<Inside>(std::move(store), "", name));
}

Result<Account> Account::open(const std::string& home, const std::string& name) {
  SOTTO_ASSIGN(const auto folder, home_folder(home));
  SOTTO_TRY(require_home(folder));
  SOTTO_ASSIGN(auto store, Store::open(folder, unix_seconds));
  SOTTO_TRY(store.account(name));
  return Account(std::make_shared<Inside>(std::move(store), folder, name));
}

Result<Account> Account::create(const std::string& home, const std::string& name, double epsilon,
                                double delta) {
  SOTTO_ASSIGN(const auto folder, home_folder(home));
  SOTTO_ASSIGN(auto store, Store::open(folder, unix_seconds));
  SOTTO_TRY(store.new_account(name, {.epsilon = epsilon, .delta = delta}));
  return Account(std::make_shared<Inside>(std::move(store), folder, name));
}

const std::string& Account::name() const {
  return inside_->name;
}

const std::string& Account::home() const {
  return inside_->home;
}

Result<Balance> Account::balance() const {
  const std::scoped_lock lock(inside_->mutex);
  SOTTO_ASSIGN(const auto account, inside_->store.account(inside_->name));
  SOTTO_ASSIGN(const auto entries, inside_->store.ledger());
  Balance balance{.delta = account.delta,
                  .spent_epsilon = account.guaranteed.epsilon,
                  .json = json_text(account_json(account))};
  balance.releases =
      static_cast<std::size_t>(std::ranges::count_if(entries, [&](const LedgerEntry& entry) {
        return entry.debit.data == inside_->name && store::counts(entry);
      }));
  if (account.limit) balance.limit_epsilon = account.limit->epsilon;
  if (account.left) balance.left_epsilon = account.left->epsilon;
  return balance;
}

Result<std::string> read_ledger(const std::string& home, const std::string& run) {
  SOTTO_ASSIGN(const auto folder, home_folder(home));
  SOTTO_ASSIGN(const auto view, sotto::read_ledger(folder, run));
  return json_text(to_json(view));
}

}  // namespace sotto::v1
