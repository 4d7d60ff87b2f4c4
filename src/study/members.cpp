#include "study/members.h"

#include <map>

namespace sotto {

Result<Study> study_of(const Study& study, std::span<const PartyId> members) {
  if (members.size() == study.graph().size()) return study;
  std::map<PartyId, PartyId> place;
  for (const PartyId member : members) place.emplace(member, static_cast<PartyId>(place.size()));
  std::vector<Edge> edges;
  std::vector<double> weights;
  const auto all_edges = study.graph().edges();
  for (std::size_t k = 0; k < all_edges.size(); ++k) {
    const auto a = place.find(all_edges[k].a);
    const auto b = place.find(all_edges[k].b);
    if (a == place.end() || b == place.end()) continue;
    // Places keep the order, so the edges stay sorted and the weights beside them.
    edges.push_back({a->second, b->second});
    weights.push_back(study.weights.per_edge()[k]);
  }
  const auto graph = Graph::make(members.size(), std::move(edges));
  if (!graph) return tl::unexpected(graph.error());
  if (auto connected = require_connected(*graph); !connected) {
    return tl::unexpected(connected.error());
  }
  auto kept = Weights::given(*graph, std::move(weights));
  if (!kept) return tl::unexpected(kept.error());
  Study rest = study;
  rest.weights = std::move(*kept);
  rest.parties.clear();
  for (const PartyId member : members) rest.parties.push_back(study.parties[member]);
  if (rest.problem && rest.problem->files.size() == study.graph().size()) {
    rest.problem->files.clear();
    for (const PartyId member : members) {
      rest.problem->files.push_back(study.problem->files[member]);
    }
  }
  return rest;
}

}  // namespace sotto
