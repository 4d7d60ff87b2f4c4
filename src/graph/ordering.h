#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/ranks.h"
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

// Whose each party is: a rank for each. No result depends on it, only how much ranks have to tell
// each other. Everybody has at least one party.
using Owners = std::vector<std::uint32_t>;

// Called by all ranks together; all get the same.
using Partitioner = std::function<Owners(const Graph&, Ranks&)>;

// Equal pieces of the order in which a large network is walked: good on paths, grids and the like,
// and always there. Precondition: no more ranks than parties.
[[nodiscard]] Owners owners_by_order(const Graph& graph, std::size_t ranks);

}  // namespace sotto
