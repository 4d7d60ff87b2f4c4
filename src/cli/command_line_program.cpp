// sotto::v1::run_command_line: the program, for programs that add to it.

#include <sotto/program.h>

#include "cli/command_line.h"

int sotto::v1::run_command_line(int argc, const char* const* argv) {
  return sotto::run_command_line(argc, argv);
}
