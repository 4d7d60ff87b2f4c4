#pragma once

namespace sotto {

// Runs the program. Returns the exit status: 0, 1 (failed), 2 (bad input) or 3 (refused).
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace sotto
