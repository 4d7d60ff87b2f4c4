#pragma once

#include <vector>

#include "graph/graph.h"

namespace sotto {

// The parties in the order in which the rounds of a large network walk them: reverse Cuthill–McKee
// [Cuthill, McKee 1969; George 1971]. Breadth first from a party at the rim, neighbours of fewer
// edges first, then backwards; so neighbours stand near each other wherever a graph allows that (on
// a grid within one row of it, on a random-regular graph nothing can). Every component has its
// turn.
[[nodiscard]] std::vector<PartyId> reverse_cuthill_mckee(const Graph& graph);

// How far apart neighbours stand at most in this order.
[[nodiscard]] std::size_t bandwidth(const Graph& graph, std::span<const PartyId> order);

}  // namespace sotto
