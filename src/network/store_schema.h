#pragma once

#include "network/store_database.h"

namespace sotto {

inline constexpr std::int64_t kStoreVersion = 1;

// Makes the tables in an empty file, in one transaction, or looks at those that are there.
// A file of somebody else's is failed[E-store-foreign], of a later version
// failed[E-store-newer]; neither is touched. A damaged ledger is failed[E-store-corrupt].
[[nodiscard]] Result<void> prepare_schema(Database& database);

}  // namespace sotto
