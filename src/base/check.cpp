#include "base/check.h"

#include <fmt/core.h>

#include <cstdlib>

namespace sotto {

void check(bool holds, std::string_view promise, const char* file, int line) {
  if (holds) [[likely]] {
    return;
  }
  fmt::print(stderr, "sotto: this is a bug in sotto: {} does not hold ({}:{})\n", promise, file,
             line);
  std::abort();
}

}  // namespace sotto
