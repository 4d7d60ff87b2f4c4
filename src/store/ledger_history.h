#pragma once

#include <vector>

#include "store/ledger.h"

namespace sotto::store {

// An account as it stood when one of its entries had come to count as it does now.
struct AccountStep {
  LedgerEntry entry;
  LedgerAccount after;
};

// The account after each of `entries` that counts and is its own, by the time of its last change.
[[nodiscard]] std::vector<AccountStep> account_history(const LedgerAccount& account,
                                                       std::vector<LedgerEntry> entries);

}  // namespace sotto::store
