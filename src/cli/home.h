#pragma once

#include <string>

#include "base/result.h"

namespace sotto {

// Where a party's key, journal and ledger are: what --home says, else $SOTTO_HOME, else ~/.sotto.
[[nodiscard]] Result<std::string> home_folder(const std::string& option);

}  // namespace sotto
