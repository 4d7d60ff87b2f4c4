#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "store/ledger.h"

// An account of the ledger in words and in JSON, for `ledger` and for `plan --account`.
namespace sotto {

// "holds against coalitions of at most 1 …"; empty as long as nothing counts.
[[nodiscard]] std::string coalition_text(const LedgerAccount& account);

[[nodiscard]] std::string account_text(const LedgerAccount& account);

// What one run of a study would do to its account: `before` and `with` it, and whether it would be
// refused.
struct AccountForecast {
  LedgerAccount before;
  LedgerAccount with;
  std::optional<std::uint64_t> runs_left;  // of such runs; none: there is no limit
  std::optional<Error> refusal;
};
[[nodiscard]] std::string forecast_text(const AccountForecast& forecast);
[[nodiscard]] nlohmann::ordered_json forecast_json(const AccountForecast& forecast);

}  // namespace sotto
