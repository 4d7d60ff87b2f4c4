#pragma once

#include <vector>

#include "base/json.h"
#include "view/homes.h"

// The part *Ledger* of the page.
namespace sotto::view {

// {"html"}: for each account of each home what was spent over time against whom, what is left, and
// every entry.
[[nodiscard]] Json budgets_json(const std::vector<Home>& homes);

}  // namespace sotto::view
