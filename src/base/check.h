#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace sotto {

// A bug stops the process, in every build. For what the program itself promises;
// what a user or a peer may get wrong returns a Result instead.
inline void check(bool holds, std::string_view promise, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (holds) [[likely]] {
    return;
  }
  std::fprintf(stderr, "sotto: this is a bug in sotto: %.*s does not hold (%s:%d)\n",
               static_cast<int>(promise.size()), promise.data(), file, line);
  std::abort();
}

}  // namespace sotto
