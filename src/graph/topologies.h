#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_settings.h"
#include "graph/graph.h"

// The topologies that a study can name: one table of names, words and of how each graph is made.
// Those that come along are its first entries, and whoever links sotto may add others
// (include/sotto/topology.h).
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
  NamedSettings settings = {};             // of the section that one with keys has
};

struct TopologyEntry {
  Topology topology;
  std::string name;   // as studies write it
  std::string about;  // a few words: "a ring"
  std::function<Result<Graph>(TopologyRequest request)> make;
  std::vector<NamedKey> keys = {};  // of the section of its name; the built-in ones have [graph]'s
};

// In the order in which people are told of them. From the first call on none can be added.
[[nodiscard]] std::span<const TopologyEntry> topology_table();

// Adds what make(its number) makes. E-topology-name, E-topology-late.
[[nodiscard]] Result<Topology> add_topology(const std::string& name,
                                            const std::function<TopologyEntry(Topology)>& make);
// Whether there is one of this name, while others may still be added.
[[nodiscard]] bool is_topology(std::string_view name);

[[nodiscard]] Result<Graph> make_graph(Topology topology, TopologyRequest request);

}  // namespace sotto
