// Asks the ledger, and says for scripts what the operator's terminal says for people.
#include "run/consent/consent.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
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
          {"limit", ledger_amount_json(cost.limit)},
          {"left", ledger_amount_json(cost.left)}};
}

std::string ledger_amount_text(const LedgerAmount& amount) {
  return fmt::format("ε = {:g}, δ = {:g}", amount.epsilon, amount.delta);
}

}  // namespace

bool AccountCost::enough() const {
  const double slack = 1 - 1e-12;  // as the ledger itself counts: kLimitSlackBits
  return counted || !left ||
         (left->epsilon >= slack * asked.epsilon && left->delta >= slack * asked.delta);
}

Result<AccountCost> account_cost(const Store& store, const std::string& account,
                                 const Budget& asked, const std::optional<StoredRun>& unfinished) {
  AccountCost cost{.account = account,
                   .asked = {asked.epsilon.value(), asked.delta.value()},
                   .spent = {},
                   .limit = {},
                   .left = {}};
  SOTTO_ASSIGN(const auto accounts, store.accounts());
  const auto found = std::ranges::find(accounts, account, &LedgerAccount::data);
  if (found != accounts.end()) {
    cost.spent = found->spent;
    cost.limit = found->limit;
    cost.left = found->left;
  }
  if (!unfinished) return cost;
  SOTTO_ASSIGN(const auto entries, store.ledger());
  cost.counted = std::ranges::any_of(entries, [&](const LedgerEntry& entry) {
    return entry.debit.run == unfinished->run && entry.state != EntryState::kRestored;
  });
  return cost;
}

std::string asked_text(const PrivacyTerms& terms) {
  const std::string unit =
      terms.unit == Unit::kEntry
          ? fmt::format("entry of θ that moves by {:g}", terms.sensitivity.value())
      : terms.neighbours == Neighbours::kReplace ? std::string("row replaced by another")
                                                 : std::string("row added or removed");
  return fmt::format("ε = {:g}, δ = {:g} for one {}", terms.budget.epsilon.value(),
                     terms.budget.delta.value(), unit);
}

std::string cost_text(const AccountCost& cost) {
  const std::string asked =
      cost.counted ? fmt::format("{} of \"{}\", which the ledger holds for this run already",
                                 ledger_amount_text(cost.asked), cost.account)
                   : fmt::format("{} of \"{}\"", ledger_amount_text(cost.asked), cost.account);
  return fmt::format("{}; spent so far: {}; {}", asked, ledger_amount_text(cost.spent),
                     cost.limit ? fmt::format("left of {}: {}", ledger_amount_text(*cost.limit),
                                              ledger_amount_text(*cost.left))
                                : std::string("no limit is set"));
}

std::string to_json_line(const Consent& consent, std::int64_t time) {
  const auto count = [&](CheckVerdict verdict) {
    return std::ranges::count(consent.items, verdict, &CheckItem::verdict);
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
      fmt::format("promises {}; costs {}; {} problems, {} warnings", asked_text(asked),
                  consent.cost ? cost_text(*consent.cost) : "what the ledger could not say",
                  count(CheckVerdict::kProblem), count(CheckVerdict::kWarning));
  return json_line(json);
}

}  // namespace sotto
