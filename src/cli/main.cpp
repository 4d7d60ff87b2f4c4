// The program: everything is in the library, where tests reach it too, but for MPI, which programs
// that link sotto can do without.
#include "cli/command_line.h"
#include "mpi/mpi_ranks.h"
#include "run/ranks/simulate_ranks.h"

int main(int argc, char** argv) {
  return sotto::run_command_line(
      argc, argv,
      {.about = sotto::mpi_about, .start = sotto::mpi_ranks, .partition = sotto::mpi_partition});
}
