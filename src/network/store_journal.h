#pragma once

#include <memory>

#include "network/store.h"

namespace sotto {

// What ties a journal's records together: the digest before the first one.
[[nodiscard]] std::string journal_head(const std::string& run);

// The journal of the stored run with this row number: see Store::journal.
[[nodiscard]] Result<std::unique_ptr<Journal>> open_store_journal(
    std::shared_ptr<Database> database, UnixClock clock, std::string run, std::int64_t owner);

}  // namespace sotto
