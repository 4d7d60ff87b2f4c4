#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ranks.h"

// What lies between the program and sotto-mpi.so, a file of its own that knows MPI and PT-Scotch:
// who does not use ranks neither waits for their libraries to be loaded nor needs to have them.
//
// The module has no part of the rooms in it but what base/ranks.h has inline: no registry, table or
// other state of sotto's is there twice. Both are compiled together and have one C++ library, so
// that its types and exceptions may cross; `version` holds what was not compiled together apart.
namespace sotto {

struct MpiModule {
  // sotto's. The first member for ever, and the only one that may be read before it is compared.
  const char* version;

  // "Open MPI v4.1.4, PT-Scotch 7.0.3"
  std::string (*about)();

  // Once in a process; MPI ends when they go. nullptr where this MPI does not allow threads.
  std::unique_ptr<Ranks> (*start)();

  // Whose each party of this rank's share is, so that few edges lead from one rank to another;
  // nothing where PT-Scotch is missing or fails. Neighbours of the k-th of the share are
  // adjacent[first[k]], …, adjacent[first[k + 1] − 1]. Called by all ranks together.
  std::vector<std::uint32_t> (*cut)(std::span<const std::uint64_t> first,
                                    std::span<const std::uint32_t> adjacent, std::size_t ranks);
};

}  // namespace sotto

// The one name that is looked up.
extern "C" [[gnu::visibility("default")]] const sotto::MpiModule* sotto_mpi_module();
