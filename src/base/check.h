#pragma once

#include <string_view>

namespace sotto {

// A bug stops the process, in every build. For what the program itself promises;
// what a user or a peer may get wrong returns a Result instead.
void check(bool holds, std::string_view promise, const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

}  // namespace sotto
