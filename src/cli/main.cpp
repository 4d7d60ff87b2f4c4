// The program: everything is in the library, where tests reach it too.
#include "cli/command_line.h"

int main(int argc, char** argv) {
  return sotto::run_command_line(argc, argv);
}
