#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.h"
#include "store/ledger.h"

// What a study costs whose account: the one place where a plan becomes a debit.
namespace sotto {

// The account of a party's data unless another is named: its owner and its schema,
// "north/5-columns-1f3a9b2c". The digest is of the names of all columns that the study uses, in any
// order, so the same columns are the same account whichever of them is explained; costs without a
// table are "north/costs". Data about the same people under another schema need the same account:
// --account says which.
[[nodiscard]] std::string default_account(const Study& study, PartyId self);

// What each observer of the plan's rows learns from one run, weakest first.
[[nodiscard]] std::vector<ObserverCharge> charges_of(const Study& study, const Plan& plan);

// What one run costs `account`; `run` and `attempt` are the session's. The guaranteed observer is
// the coalition that the study is calibrated for, or the eavesdropper where it names none.
[[nodiscard]] Debit debit_of(const Study& study, const Plan& plan, const std::string& account);

// How many more runs that cost this its limit allows, at least; none: there is no limit.
[[nodiscard]] std::optional<std::uint64_t> runs_left(const LedgerAccount& account,
                                                     const Debit& debit);

}  // namespace sotto
