// sotto::v1::Topology: somebody else's graph, as one of ours.

#include <fmt/format.h>
#include <sotto/topology.h>

#include <algorithm>

#include "api/added_keys.h"
#include "base/check.h"
#include "graph/topologies.h"

namespace sotto::v1 {
namespace {

sotto::Result<Graph> asked(const Topology& plugin, sotto::Topology number,
                           const TopologyRequest& request) {
  SOTTO_ASSIGN(const auto pairs, plugin.edges({.parties = request.parties,
                                               .numbers = request.settings.numbers,
                                               .words = request.settings.words}));
  std::vector<Edge> edges;
  for (const auto& [a, b] : pairs) {
    // What does not fit a PartyId is nobody's number, and Graph::make says so of this one too.
    const auto fits = [](std::size_t party) {
      return static_cast<PartyId>(std::min(party, kMaxParties));
    };
    edges.push_back({.a = fits(a), .b = fits(b)});
  }
  return Graph::make(request.parties, std::move(edges), number);
}

}  // namespace

Result<void> register_topology(std::unique_ptr<const Topology> topology) {
  check(topology != nullptr, "there is a topology to register");
  const std::string name = topology->name();
  const std::vector<NamedKey> keys = inside(topology->keys());
  SOTTO_TRY(check_keys("E-topology-key", name, keys));
  SOTTO_TRY(check_section_is_free("E-topology-name", name));
  const std::shared_ptr<const Topology> plugin = std::move(topology);
  SOTTO_TRY(add_topology(name, [&](sotto::Topology number) {
    return TopologyEntry{
        .topology = number,
        .name = name,
        .about = plugin->about(),
        .make = [plugin, number](
                    const TopologyRequest& request) { return asked(*plugin, number, request); },
        .keys = keys};
  }));
  return {};
}

}  // namespace sotto::v1
