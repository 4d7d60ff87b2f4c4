#pragma once

#include <source_location>
#include <string_view>

namespace sotto {

// A bug stops the process, in every build. For what the program itself promises;
// what a user or a peer may get wrong returns a Result instead.
void check(bool holds, std::string_view promise,
           std::source_location where = std::source_location::current());

}  // namespace sotto
