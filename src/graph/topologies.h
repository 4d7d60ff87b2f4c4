#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

// The topologies that a study can name: one table of names and of how each graph is made.
namespace sotto {

// What a topology is made of; each takes what it needs.
struct TopologyRequest {
  std::size_t parties = 0;
  std::size_t degree = 4;                  // random-regular, erdos-renyi, small-world
  std::uint64_t seed = 1;                  // the same
  double rewire = 0.1;                     // small-world
  std::size_t base = 2;                    // base
  std::vector<Edge> edges = {};            // edges
  std::string file = {};                   // file
  std::optional<std::size_t> stated = {};  // file: how many parties the study says
};

struct TopologyEntry {
  Topology topology;
  std::string_view name;  // as studies write it
  Result<Graph> (*make)(TopologyRequest request);
};

// In the order in which people are told of them.
[[nodiscard]] std::span<const TopologyEntry> topology_table();

[[nodiscard]] Result<Graph> make_graph(Topology topology, TopologyRequest request);

}  // namespace sotto
