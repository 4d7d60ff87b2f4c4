#pragma once

// Graphs for this room's tests.
#include <rapidcheck.h>

#include <vector>

#include "base/random.h"
#include "graph/graph.h"

namespace sotto {

// rapidcheck's own ranges start small and grow; sizes of graphs are better even.
template <class T>
T any_of(T from, T below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, below));
}

// Every pair is joined with probability percent/100: connected or not, as it comes.
inline Graph random_graph(std::size_t parties, std::uint64_t percent, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Edge> edges;
  for (PartyId a = 0; a < parties; ++a) {
    for (PartyId b = a + 1; b < parties; ++b) {
      if (random.below(100) < percent) edges.push_back({a, b});
    }
  }
  return *Graph::make(parties, edges);
}

}  // namespace sotto
