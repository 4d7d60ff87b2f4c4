#include "base/check.h"

#include <fmt/core.h>

#include <cstdlib>

namespace sotto {

void check(bool holds, std::string_view promise, std::source_location where) {
  if (holds) [[likely]] {
    return;
  }
  fmt::print(stderr, "sotto: this is a bug in sotto: {} does not hold ({}:{})\n", promise,
             where.file_name(), where.line());
  std::abort();
}

}  // namespace sotto
