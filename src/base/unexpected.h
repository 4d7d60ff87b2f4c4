#pragma once

#include <exception>

#include "base/result.h"

namespace sotto {

// What a library has thrown, where nobody above may be ended by it: failed[E-unexpected].
[[nodiscard]] inline Error unexpected(const std::exception& thrown) {
  return failed("E-unexpected", thrown.what(),
                "free memory or disk space; if that is not it, report a bug");
}

}  // namespace sotto
