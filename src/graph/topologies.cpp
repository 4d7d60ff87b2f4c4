// The table of topologies: one that comes along is a line here, its value in graph.h, and its
// graph.
#include "graph/topologies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/open_table.h"

namespace sotto {
namespace {

using Request = TopologyRequest;

// Each at the place that its number says.
std::vector<TopologyEntry> built_in_topologies() {
  return {
      {Topology::kCycle, "cycle", "a ring", [](Request r) { return Graph::cycle(r.parties); }},
      {Topology::kPath, "path", "a line", [](Request r) { return Graph::path(r.parties); }},
      {Topology::kStar, "star", "everybody around the first party",
       [](Request r) { return Graph::star(r.parties); }},
      {Topology::kComplete, "complete", "everybody with everybody",
       [](Request r) { return Graph::complete(r.parties); }},
      {Topology::kGrid, "grid", "rows and columns, as nearly square as can be",
       [](Request r) { return Graph::grid(r.parties); }},
      {Topology::kTorus, "torus", "a grid whose ends are joined",
       [](Request r) { return Graph::torus(r.parties); }},
      {Topology::kBase, "base", "numbers that differ in one digit",
       [](Request r) { return Graph::base(r.parties, r.base); }},
      {Topology::kPetersen, "petersen", "Petersen's graph of ten",
       [](Request) { return Result<Graph>(Graph::petersen()); }},
      {Topology::kRandomRegular, "random-regular", "drawn, everybody with `degree` neighbours",
       [](Request r) { return Graph::random_regular(r.parties, r.degree, r.seed); }},
      {Topology::kErdosRenyi, "erdos-renyi", "edges drawn among all pairs",
       [](Request r) { return Graph::erdos_renyi(r.parties, r.degree, r.seed); }},
      {Topology::kSmallWorld, "small-world", "a ring, some of whose edges lead far",
       [](Request r) { return Graph::small_world(r.parties, r.degree, r.rewire, r.seed); }},
      {Topology::kEdges, "edges", "those that `edges` lists",
       [](Request r) { return Graph::make(r.parties, std::move(r.edges)); }},
      {Topology::kFile, "file", "those of a file",
       [](Request r) { return Graph::from_file(r.file, r.stated); }},
  };
}

OpenTable<TopologyEntry>& topologies() {
  static OpenTable<TopologyEntry> table(
      {.what = "topology", .bad_name = "E-topology-name", .too_late = "E-topology-late"},
      built_in_topologies());
  return table;
}

const TopologyEntry& entry_of(Topology topology) {
  const auto place = static_cast<std::size_t>(topology);
  const auto all = topology_table();
  check(place < all.size() && all[place].topology == topology, "every topology is in the table");
  return all[place];
}

}  // namespace

std::span<const TopologyEntry> topology_table() {
  return topologies().all();
}

Result<Topology> add_topology(const std::string& name,
                              const std::function<TopologyEntry(Topology)>& make) {
  SOTTO_ASSIGN(const auto place, topologies().add(name, [&](std::size_t at) {
    return make(static_cast<Topology>(at));
  }));
  return static_cast<Topology>(place);
}

bool is_topology(std::string_view name) {
  return topologies().has(name);
}

Result<Graph> make_graph(Topology topology, TopologyRequest request) {
  const TopologyEntry& entry = entry_of(topology);
  request.settings = with_fallbacks(entry.keys, std::move(request.settings));
  return entry.make(std::move(request));
}

std::string to_string(Topology topology) {
  return entry_of(topology).name;
}

std::optional<Topology> topology_from(std::string_view name) {
  const auto all = topology_table();
  const auto found = std::ranges::find(all, name, &TopologyEntry::name);
  if (found == all.end()) return std::nullopt;
  return found->topology;
}

}  // namespace sotto
