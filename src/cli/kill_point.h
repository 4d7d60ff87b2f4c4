#pragma once

#include <functional>

#include "network/driver.h"

namespace sotto {

// For tests of crashes: SOTTO_TEST_KILL="17:after" ends the process, as a power cut
// would, at its 17th commit: `before` it, `after` it, or when its frames are `sent`.
// Empty without it.
[[nodiscard]] std::function<void(CommitPoint)> kill_point();

}  // namespace sotto
