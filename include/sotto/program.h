#pragma once

// The program `sotto` as a function: a program of yours that registers solvers of its own and then
// calls it is a whole sotto, with plan, simulate, join and the rest.

namespace sotto::v1 {

// What main() returns: 0 done, 1 failed, 2 bad input, 3 refused for privacy.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace sotto::v1
