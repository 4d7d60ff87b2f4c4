#pragma once

#include <memory>
#include <string>

#include "base/ranks.h"
#include "graph/ordering.h"

// The ranks of mpirun: loads sotto-mpi.so, the one place that knows MPI and PT-Scotch
// (mpi/mpi_module.h), when a launcher has started this process, and never else. It is looked for
// beside the program and where it is installed, as seen from the program, and nowhere else; a
// program without it can do everything but this.
namespace sotto {

// "Open MPI 4.1.4, PT-Scotch 7.0.3", or why there are none: for `sotto --version`.
[[nodiscard]] std::string mpi_about();

// The ranks of this run, if a launcher (mpirun, srun) has started this process as one of several or
// by itself; nothing where nobody has. Once in a process; MPI ends when they go. E-ranks-mpi where
// the module is missing, cannot be loaded, or is of another version.
[[nodiscard]] Result<std::unique_ptr<Ranks>> mpi_ranks();

// Few edges between ranks, by PT-Scotch, each rank bringing its share of the graph; equal pieces of
// an order (owners_by_order) for small networks and where it is missing.
[[nodiscard]] Owners mpi_partition(const Graph& graph, Ranks& ranks);

}  // namespace sotto
