// The table of topologies: a new one is a line here, its value in graph.h, and its graph.
#include "graph/topologies.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/check.h"

namespace sotto {
namespace {

using Request = TopologyRequest;

constexpr std::array<TopologyEntry, 13> kTopologies{{
    {Topology::kCycle, "cycle", [](Request r) { return Graph::cycle(r.parties); }},
    {Topology::kPath, "path", [](Request r) { return Graph::path(r.parties); }},
    {Topology::kStar, "star", [](Request r) { return Graph::star(r.parties); }},
    {Topology::kComplete, "complete", [](Request r) { return Graph::complete(r.parties); }},
    {Topology::kGrid, "grid", [](Request r) { return Graph::grid(r.parties); }},
    {Topology::kTorus, "torus", [](Request r) { return Graph::torus(r.parties); }},
    {Topology::kBase, "base", [](Request r) { return Graph::base(r.parties, r.base); }},
    {Topology::kPetersen, "petersen", [](Request) { return Result<Graph>(Graph::petersen()); }},
    {Topology::kRandomRegular, "random-regular",
     [](Request r) { return Graph::random_regular(r.parties, r.degree, r.seed); }},
    {Topology::kErdosRenyi, "erdos-renyi",
     [](Request r) { return Graph::erdos_renyi(r.parties, r.degree, r.seed); }},
    {Topology::kSmallWorld, "small-world",
     [](Request r) { return Graph::small_world(r.parties, r.degree, r.rewire, r.seed); }},
    {Topology::kEdges, "edges",
     [](Request r) { return Graph::make(r.parties, std::move(r.edges)); }},
    {Topology::kFile, "file", [](Request r) { return Graph::from_file(r.file, r.stated); }},
}};

const TopologyEntry& entry_of(Topology topology) {
  const auto* const found = std::ranges::find(kTopologies, topology, &TopologyEntry::topology);
  check(found != kTopologies.end(), "every topology is in the table");
  return *found;
}

}  // namespace

std::span<const TopologyEntry> topology_table() {
  return kTopologies;
}

Result<Graph> make_graph(Topology topology, TopologyRequest request) {
  return entry_of(topology).make(std::move(request));
}

std::string to_string(Topology topology) {
  return std::string(entry_of(topology).name);
}

std::optional<Topology> topology_from(std::string_view name) {
  const auto* const found = std::ranges::find(kTopologies, name, &TopologyEntry::name);
  if (found == kTopologies.end()) return std::nullopt;
  return found->topology;
}

}  // namespace sotto
