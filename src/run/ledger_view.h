#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/store.h"

// What is in a home's ledger, for whoever asks: `sotto ledger`, `plan --account`, programs.
namespace sotto {

struct LedgerView {
  std::vector<LedgerAccount> accounts;
  std::vector<LedgerEntry> entries;
  std::map<std::string, std::string> names = {};  // what all parties call this party's runs

  // An entry may be older than the run's common name.
  [[nodiscard]] const std::string& name_of(const std::string& own) const {
    const auto found = names.find(own);
    return found == names.end() ? own : found->second;
  }
};

// `run`: the entries of that run alone (run_called()); empty: all of it. To look at a ledger makes
// none. E-home-missing, E-run-unknown, E-run-choose.
[[nodiscard]] Result<LedgerView> read_ledger(const std::string& home, const std::string& run);

// The contract that scripts rely on (README, "JSON").
[[nodiscard]] nlohmann::ordered_json account_json(const LedgerAccount& account);
[[nodiscard]] nlohmann::ordered_json to_json(const LedgerView& view);

}  // namespace sotto
