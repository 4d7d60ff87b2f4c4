// Asks the ledger, and says for scripts what the operator's terminal says for people.
#include "run/consent/consent.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/words.h"
#include "run/account.h"
#include "run/home.h"

namespace sotto {
namespace {

Json ledger_amount_json(const LedgerAmount& amount) {
  return {{"epsilon", amount.epsilon}, {"delta", amount.delta}};
}

Json ledger_amount_json(const std::optional<LedgerAmount>& amount) {
  return amount ? ledger_amount_json(*amount) : Json(nullptr);
}

Json cost_json(const AccountCost& cost) {
  return {{"account", cost.account},
          {"asked", ledger_amount_json(cost.asked)},
          {"counted", cost.counted},
          {"spent", ledger_amount_json(cost.spent)},
          {"with_this_run", ledger_amount_json(cost.with_this)},
          {"basic", ledger_amount_json(cost.basic)},
          {"colluders", cost.colluders},
          {"limit", ledger_amount_json(cost.limit)},
          {"runs_left", cost.runs_left ? Json(*cost.runs_left) : Json(nullptr)}};
}

std::string ledger_amount_text(const LedgerAmount& amount) {
  return fmt::format("ε = {:.4g}, δ = {:g}", amount.epsilon, amount.delta);
}

}  // namespace

Result<AccountCost> account_cost(const Store& store, const std::string& account, const Study& study,
                                 const Plan& plan, const std::optional<StoredRun>& unfinished) {
  SOTTO_ASSIGN(const auto before, store.account(account).at("--account"));
  const Debit debit = debit_of(study, plan, account);
  AccountCost cost{.account = account,
                   .asked = {debit.epsilon, debit.delta},
                   .spent = {before.guaranteed.epsilon, before.delta},
                   .with_this = {},
                   .basic = {},
                   .limit = {},
                   .runs_left = runs_left(before, debit)};
  if (before.limit) cost.limit = LedgerAmount{before.limit->epsilon, before.limit->delta};
  if (unfinished) {
    SOTTO_ASSIGN(const auto entries, store.ledger());
    cost.counted = std::ranges::any_of(entries, [&](const LedgerEntry& entry) {
      return entry.debit.run == unfinished->run && entry.state != EntryState::kRestored;
    });
  }
  if (!cost.counted) SOTTO_TRY(store.affords(debit));
  LedgerAccount with = before;
  if (!cost.counted) {
    SOTTO_ASSIGN(with, store.account_with(debit));
  }
  cost.with_this = {with.guaranteed.epsilon, with.delta};
  cost.basic = {with.guaranteed.basic_epsilon, with.basic.delta};
  cost.colluders = with.colluders.value_or(0);
  return cost;
}

std::string asked_text(const PrivacyTerms& terms) {
  const std::string unit =
      terms.unit == Unit::kEntry
          ? fmt::format("entry of θ that moves by {:g}", terms.sensitivity.value())
          : protected_unit(terms) + (terms.neighbours == Neighbours::kReplace
                                         ? " replaced by another"
                                         : " added or removed");
  return fmt::format("ε = {:g}, δ = {:g} for one {}", terms.budget.epsilon.value(),
                     terms.budget.delta.value(), unit);
}

std::string cost_text(const AccountCost& cost) {
  std::string text =
      fmt::format("{} for this run of \"{}\"", ledger_amount_text(cost.asked), cost.account);
  if (cost.counted) text += ", which the ledger holds already";
  text +=
      fmt::format("; all together ε = {:.4g} at δ = {:g} ({:.4g} before; basic composition: {})",
                  cost.with_this.epsilon, cost.with_this.delta, cost.spent.epsilon,
                  ledger_amount_text(cost.basic));
  if (!cost.limit) return text + "; no limit is set";
  return text + fmt::format("; limit {}, {} such runs fit", ledger_amount_text(*cost.limit),
                            cost.runs_left.value_or(0));
}

std::string to_json_line(const Consent& consent, std::int64_t time) {
  const auto count = [&](CheckVerdict verdict) {
    return static_cast<std::uint64_t>(
        std::ranges::count(consent.items, verdict, &CheckItem::verdict));
  };
  const auto item_json = [](const CheckItem& item) { return to_json(item); };
  const PrivacyTerms& asked = consent.asked;
  Json json{{"time", utc_text(time)},
            {"event", "consent"},
            {"study", consent.study},
            {"party", consent.party},
            {"promises",
             {{"epsilon", asked.budget.epsilon.value()},
              {"delta", asked.budget.delta.value()},
              {"unit", to_string(asked.unit)},
              {"adversaries", json_list(consent.observers, adversary_json)}}},
            {"cost", consent.cost ? cost_json(*consent.cost) : Json(nullptr)},
            {"checks", json_list(consent.items, item_json)}};
  // The counts of the party's own rows are among the checks, and not in what may end in a log.
  json["text"] =
      fmt::format("promises {}; costs {}; {}, {}", asked_text(asked),
                  consent.cost ? cost_text(*consent.cost) : "what the ledger could not say",
                  counted(count(CheckVerdict::kProblem), "problem", "problems"),
                  counted(count(CheckVerdict::kWarning), "warning", "warnings"));
  return json_line(json);
}

}  // namespace sotto
