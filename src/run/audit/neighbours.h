#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "privacy/seal.h"

// What an audit compares: two worlds that differ by one change of what one party holds, as large
// as the study's sensitivity allows. The others hold zeros: noise is added, so nothing that
// they hold changes what the change looks like.
namespace sotto {

struct NeighbouringData {
  // The party's own at a distance: 0 is the one world, 1 the other, and beyond lies what
  // importance sampling looks at.
  std::function<Secret(double distance)> at;
  Secret others;                  // zeros
  std::vector<double> direction;  // projects what is released on the change, in units of φ
  double moved = 0;               // the change's length in φ: at most the sensitivity
  double base = 0;                // world 0 in that direction
  std::string words;              // "an entry of B", "one row at its bounds"
};

// One entry of θ, the entry-th, moved by μ.
[[nodiscard]] NeighbouringData entry_moved(const PlannedStudy& planned, std::size_t entry);

// A row that is added, or replaced by another: the worst of those that a search through the
// study's own encoder finds, from a seed. Precondition: a study over tables.
[[nodiscard]] NeighbouringData row_moved(const PlannedStudy& planned, std::uint64_t seed);

}  // namespace sotto
