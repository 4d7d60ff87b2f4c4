#include "privacy/coalition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "graph/spectrum.h"
#include "privacy/parameter_checks.h"

namespace sotto {
namespace {

bool all_parties_alike(const Graph& graph) {
  return graph.topology() == Topology::kCycle || graph.topology() == Topology::kComplete ||
         graph.topology() == Topology::kPetersen;
}

double binomial(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t j = 0; j < k; ++j) {
    result *= static_cast<double>(n - j) / static_cast<double>(j + 1);
  }
  return std::round(result);
}

}  // namespace

double coalition_count(const Graph& graph, std::size_t size) {
  check(size >= 1 && size < graph.size(), "a coalition is not empty and not everybody");
  return all_parties_alike(graph) ? binomial(graph.size() - 1, size - 1)
                                  : binomial(graph.size(), size);
}

void for_each_coalition(const Graph& graph, std::size_t size,
                        const std::function<void(std::span<const PartyId>)>& visit) {
  check(size >= 1 && size < graph.size(), "a coalition is not empty and not everybody");
  const std::size_t n = graph.size();
  const std::size_t fixed = all_parties_alike(graph) ? 1 : 0;
  std::vector<PartyId> members(size);
  std::iota(members.begin(), members.end(), PartyId{0});
  while (true) {
    visit(members);
    // The next one in lexicographic order: raise the last member that can be raised.
    std::size_t k = size;
    while (k > fixed && members[k - 1] == n - size + k - 1) --k;
    if (k == fixed) return;
    ++members[k - 1];
    for (std::size_t j = k; j < size; ++j) members[j] = members[j - 1] + 1;
  }
}

bool can_visit_coalitions(const Graph& graph, std::size_t size, double work_each) {
  return work_each * coalition_count(graph, size) *
             std::pow(static_cast<double>(graph.size()), 3) <=
         kMaxCoalitionWork;
}

tl::unexpected<Error> too_many_coalitions(const Graph& graph, std::size_t size) {
  return bad_input("E-colluders-many",
                   fmt::format("{:.3g} coalitions of {} among {} parties are too many to look at",
                               coalition_count(graph, size), size, graph.size()),
                   fmt::format("coalitions × parties³ stays below {:.0g}: lower colluders",
                               kMaxCoalitionWork / kShuffleWork));
}

Remains without(const Graph& graph, std::span<const PartyId> coalition) {
  std::vector<bool> curious(graph.size(), false);
  for (const PartyId party : coalition) {
    check(party < graph.size(), "a coalition's members are parties");
    curious[party] = true;
  }
  Remains remains;
  std::vector<std::size_t> index(graph.size(), 0);
  for (PartyId party = 0; party < graph.size(); ++party) {
    if (curious[party]) continue;
    index[party] = remains.parties.size();
    remains.parties.push_back(party);
  }
  remains.boundary.assign(remains.parties.size(), false);
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    const Edge edge = graph.edges()[e];
    if (!curious[edge.a] && !curious[edge.b]) {
      remains.links.push_back({index[edge.a], index[edge.b], e});
    } else if (!curious[edge.a]) {
      remains.boundary[index[edge.a]] = true;
    } else if (!curious[edge.b]) {
      remains.boundary[index[edge.b]] = true;
    }
  }
  return remains;
}

std::optional<double> smallest_lambda_2(const Graph& graph, std::size_t size) {
  constexpr double kFewCoalitions = 4;  // a sparse eigenvalue each, whatever n is
  if (graph.size() - size < 2) return 0.0;
  if (graph.topology() == Topology::kComplete) {
    return static_cast<double>(graph.size() - size);
  }
  if (!can_visit_coalitions(graph, size, kPairwiseWork) &&
      coalition_count(graph, size) > kFewCoalitions) {
    const double bound = safe_spectrum(graph).lambda_2 - static_cast<double>(size);
    return bound > 0 ? std::optional(bound) : std::nullopt;
  }
  double smallest = std::numeric_limits<double>::infinity();
  for_each_coalition(graph, size, [&](std::span<const PartyId> coalition) {
    const Remains remains = without(graph, coalition);
    std::vector<Edge> edges;
    for (const auto& link : remains.links) {
      edges.push_back({static_cast<PartyId>(link.a), static_cast<PartyId>(link.b)});
    }
    const auto left = Graph::make(remains.parties.size(), std::move(edges));
    check(left.has_value(), "a part of a graph is a graph");
    smallest = std::min(smallest, left->connected() ? safe_spectrum(*left).lambda_2 : 0.0);
  });
  return smallest;
}

}  // namespace sotto
