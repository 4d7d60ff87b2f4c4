#pragma once

#include <functional>

#include "network/driver.h"

namespace sotto {

// For tests of crashes: SOTTO_TEST_KILL="17:after" ends the process, as a power cut
// would, at its 17th commit: `before` it, `after` it, or when its frames are `sent`.
// SOTTO_TEST_COMMITS=FILE writes the number of commits so far into FILE. Empty without either.
[[nodiscard]] std::function<void(CommitPoint)> kill_point();

}  // namespace sotto
