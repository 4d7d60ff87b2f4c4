#pragma once

#include <vector>

#include "graph/graph.h"

namespace sotto {

// The parties at distance 0, 1, 2, … from one party, computed as far as they are asked for.
class DistanceLevels {
 public:
  // `graph` outlives this.
  DistanceLevels(const Graph& graph, PartyId centre)
      : graph_(graph), reached_(graph.size(), false), levels_{{centre}} {
    reached_[centre] = true;
  }

  // Ascending; empty beyond the farthest party.
  [[nodiscard]] const std::vector<PartyId>& at(std::size_t distance);

 private:
  const Graph& graph_;
  std::vector<bool> reached_;
  std::vector<std::vector<PartyId>> levels_;
};

}  // namespace sotto
