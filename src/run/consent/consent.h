#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "run/consent/check_item.h"
#include "store/store.h"

// What a party agrees to by taking part, for its own operator: shown before the first word leaves,
// and never sent to anybody.
namespace sotto {

// What the run costs the account that stands for the party's data, and how that stands now: ε at
// the account's δ, all of its releases taken together, against whom each study guarantees it.
struct AccountCost {
  std::string account;
  LedgerAmount asked;                      // by the study, alone
  LedgerAmount spent;                      // before, what is held back included
  LedgerAmount with_this;                  // and with this run
  LedgerAmount basic;                      // the same by basic composition, Σε and Σδ
  std::size_t colluders = 0;               // against coalitions of how many `with_this` holds
  std::optional<LedgerAmount> limit;       // none: nothing ends what may be spent
  std::optional<std::uint64_t> runs_left;  // such runs that fit, this one included
  bool counted = false;  // the run goes on, and what it costs is in `spent` already
};

// The one place that asks the ledger: for a new run of the study, or for `unfinished`, which goes
// on. E-account-unknown, E-ledger-overdrawn, E-ledger-unit.
[[nodiscard]] Result<AccountCost> account_cost(const Store& store, const std::string& account,
                                               const Study& study, const Plan& plan,
                                               const std::optional<StoredRun>& unfinished);

struct Consent {
  std::string study;
  std::string party;
  PrivacyTerms asked;
  std::vector<Adversary> observers = {};  // the plan's rows: what is promised against whom
  std::optional<AccountCost> cost = {};
  std::vector<CheckItem> items = {};  // what was looked at, in the order of CheckSubject
};

// "ε = 1, δ = 1e-06 for one row added or removed"
[[nodiscard]] std::string asked_text(const PrivacyTerms& terms);
// What it costs, what was spent, what is left, or that nothing ends it.
[[nodiscard]] std::string cost_text(const AccountCost& cost);

// The line of `sotto join --progress json`, beside those of run/join_event.h:
// {"time", "event": "consent", "study", "party", "promises", "cost", "checks", "text"}
[[nodiscard]] std::string to_json_line(const Consent& consent, std::int64_t time);

}  // namespace sotto
