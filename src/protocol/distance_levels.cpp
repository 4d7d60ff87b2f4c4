#include "protocol/distance_levels.h"

#include <algorithm>
#include <utility>

namespace sotto {

const std::vector<PartyId>& DistanceLevels::at(std::size_t distance) {
  while (levels_.size() <= distance) {
    std::vector<PartyId> next;
    for (const PartyId party : levels_.back()) {
      for (const PartyId neighbour : graph_.neighbours(party)) {
        if (reached_[neighbour]) continue;
        reached_[neighbour] = true;
        next.push_back(neighbour);
      }
    }
    std::ranges::sort(next);
    levels_.push_back(std::move(next));
  }
  return levels_[distance];
}

}  // namespace sotto
