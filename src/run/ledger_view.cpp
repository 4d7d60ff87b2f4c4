#include "run/ledger_view.h"

#include "base/json.h"
#include "run/home.h"

// The ledger as it stands; its sums are the store's.
namespace sotto {
namespace {

Json account_limit_json(const std::optional<LedgerLimit>& limit) {
  if (!limit) return nullptr;
  return {{"epsilon", limit->epsilon},
          {"delta", limit->delta},
          {"gt_epsilon", limit->gt_epsilon},
          {"gt_delta", limit->gt_delta}};
}

Json account_left_json(const std::optional<LedgerLeft>& left) {
  if (!left) return nullptr;
  return {{"epsilon", left->epsilon},
          {"squares", left->squares},
          {"gt_epsilon", left->gt_epsilon},
          {"gt_delta", left->gt_delta}};
}

Json observer_total_json(const ObserverTotal& total) {
  return {{"observer", total.observer},
          {"squares", number_or_null(total.squares)},
          {"epsilon", number_or_null(total.epsilon)},
          {"basic_epsilon", number_or_null(total.basic_epsilon)},
          {"unknown", total.unknown}};
}

}  // namespace

Result<LedgerView> read_ledger(const std::string& home, const std::string& run) {
  SOTTO_TRY(require_home(home));
  LedgerView view;
  if (!run.empty()) {
    SOTTO_ASSIGN(auto found, run_called(home, run));
    view.names.emplace(found.run.run, public_id(found.run));
    view.entries = std::move(found.entries);
    return view;
  }
  if (!Store::exists(home)) return view;
  SOTTO_ASSIGN(const auto store, Store::open(home, unix_seconds));
  SOTTO_ASSIGN(view.accounts, store.accounts());
  SOTTO_ASSIGN(view.entries, store.ledger());
  SOTTO_ASSIGN(const auto runs, store.runs());
  for (const StoredRun& each : runs) view.names.emplace(each.run, public_id(each));
  return view;
}

Json account_json(const LedgerAccount& account) {
  return {{"data", account.data},
          {"unit", account.unit},
          {"delta", account.delta},
          {"spent",
           {{"epsilon", number_or_null(account.guaranteed.epsilon)},
            {"delta", account.delta},
            {"squares", number_or_null(account.guaranteed.squares)}}},
          {"basic",
           {{"epsilon", number_or_null(account.guaranteed.basic_epsilon)},
            {"delta", account.basic.delta}}},
          {"colluders", account.colluders ? Json(*account.colluders) : Json(nullptr)},
          {"observers", json_list(account.observers, observer_total_json)},
          {"laplace", {{"epsilon", account.laplace.epsilon}, {"delta", account.laplace.delta}}},
          {"excess_delta", account.excess_delta},
          {"converted", account.converted},
          {"limit", account_limit_json(account.limit)},
          {"limit_changes", account.limit_changes},
          {"left", account_left_json(account.left)}};
}

Json to_json(const LedgerView& view) {
  const auto entry_json = [&](const LedgerEntry& entry) {
    return to_json(entry, view.name_of(entry.debit.run));
  };
  return {{"accounts", json_list(view.accounts, account_json)},
          {"entries", json_list(view.entries, entry_json)}};
}

}  // namespace sotto
