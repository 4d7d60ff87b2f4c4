#pragma once

#include <memory>
#include <string>

#include "base/ranks.h"
#include "graph/ordering.h"

// The one place that knows MPI and PT-Scotch. Where they are missing when sotto is built,
// everything here says so, and nothing else changes.
namespace sotto {

// "Open MPI 4.1.4, PT-Scotch 7.0.3", or that there is none: for `sotto --version`.
[[nodiscard]] std::string mpi_about();

// The ranks of this run, if a launcher (mpirun, srun) has started this process as one of several or
// by itself; nothing where nobody has. Once in a process; MPI ends when they go. E-ranks-mpi where
// sotto was built without.
[[nodiscard]] Result<std::unique_ptr<Ranks>> mpi_ranks();

// Few edges between ranks, by PT-Scotch, each rank bringing its share of the graph; equal pieces of
// an order (owners_by_order) for small networks and where it is missing.
[[nodiscard]] Owners mpi_partition(const Graph& graph, Ranks& ranks);

}  // namespace sotto
