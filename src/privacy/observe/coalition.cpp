#include "privacy/observe/coalition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/words.h"
#include "graph/spectrum_bounds.h"

// A graph's coalitions, one after the other, and how well it holds together without them.
namespace sotto::privacy {
namespace {

// Dense work on all coalitions, in multiply-adds: some seconds on one core.
constexpr double kMaxCoalitionWork = 5e9;

bool all_parties_alike(const Graph& graph) {
  using enum Topology;
  constexpr std::array kAlike{kCycle, kComplete, kTorus, kBase, kPetersen};
  return std::ranges::find(kAlike, graph.topology()) != kAlike.end();
}

double binomial(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t j = 0; j < k; ++j) {
    result *= static_cast<double>(n - j) / static_cast<double>(j + 1);
  }
  return std::round(result);
}

double coalition_count(const Graph& graph, std::size_t size) {
  check(size >= 1 && size < graph.size(), "a coalition is not empty and not everybody");
  return all_parties_alike(graph) ? binomial(graph.size() - 1, size - 1)
                                  : binomial(graph.size(), size);
}

}  // namespace

Result<void> require_network(const Graph& graph) {
  if (graph.size() < 2) {
    return bad_input("E-parties", fmt::format("{} party is no network", graph.size()),
                     "at least 2 parties are needed");
  }
  return require_connected(graph);
}

Result<void> require_colluders(const Graph& graph, std::size_t colluders) {
  if (colluders == 0) return {};
  const std::size_t parties = graph.size();
  if (colluders > parties - 2) {
    return refused("E-colluders",
                   fmt::format("{} among {} parties leave fewer than 2 who are honest",
                               counted(colluders, "colluder", "colluders"), parties),
                   fmt::format("colluders is at most parties − 2 = {}", parties - 2));
  }
  if (const auto cut = find_cut(graph, colluders)) {
    std::vector<std::size_t> numbers;  // from 1, as in every message
    for (const PartyId party : *cut) numbers.push_back(party + std::size_t{1});
    return refused(
        "E-colluders-cut",
        fmt::format("{} {} can cut the others apart, and an isolated part has nobody to hide among",
                    cut->size() == 1 ? "party" : "together the parties", fmt::join(numbers, ", ")),
        fmt::format("add edges until no {} the rest, or lower colluders",
                    counted(colluders, "party separates", "parties separate")));
  }
  return {};
}

Result<void> require_honest_party(const Graph& graph, std::size_t colluders) {
  if (colluders < graph.size()) return {};
  return bad_input("E-colluders-count",
                   fmt::format("{} colluders among {} parties", colluders, graph.size()),
                   fmt::format("colluders is at most parties − 1 = {}", graph.size() - 1));
}

Spectrum safe_spectrum(const Graph& graph) {
  return spectrum_bounds(graph).at_worst();
}

void for_each_coalition(const Graph& graph, std::size_t size,
                        const std::function<void(std::span<const PartyId>)>& visit,
                        std::size_t most) {
  check(size >= 1 && size < graph.size(), "a coalition is not empty and not everybody");
  const std::size_t n = graph.size();
  const std::size_t fixed = all_parties_alike(graph) ? 1 : 0;
  std::vector<PartyId> members(size);
  std::iota(members.begin(), members.end(), PartyId{0});
  for (std::size_t visited = 0; visited < most; ++visited) {
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

Error too_many_coalitions(const Graph& graph, std::size_t size) {
  return bad_input("E-colluders-many",
                   fmt::format("{:.3g} coalitions of {} among {} parties are too many to look at",
                               coalition_count(graph, size), size, graph.size()),
                   fmt::format("coalitions × parties³ stays below {:.0g}: lower colluders",
                               kMaxCoalitionWork / kShuffleWork));
}

Error unbounded_coalitions(const Graph& graph, std::size_t size) {
  // Near a random d-regular graph's λ₂ (Friedman 2008), less what a proof of it may lose.
  const auto usual = [](double degree) { return 0.8 * (degree - 2 * std::sqrt(degree - 1)); };
  std::size_t degree = 3;
  while (usual(static_cast<double>(degree)) <= static_cast<double>(size)) ++degree;
  Error error = too_many_coalitions(graph, size);
  error.what +=
      fmt::format(", and what is proven of the graph, λ₂ ≥ {:.3g}, says nothing about them",
                  safe_spectrum(graph).lambda_2);
  error.fix =
      fmt::format("a graph with λ₂ above {}, such as random-regular with degree {}, or {}", size,
                  degree, size > 1 ? "colluders = 1, for whom more is proven" : "colluders = 0");
  return error;
}

Remains without(const Graph& graph, std::span<const PartyId> coalition) {
  std::vector<PartyId> parties = graph.all_but(coalition);
  std::vector<bool> near(graph.size(), false);
  for (const PartyId curious : coalition) {
    for (const PartyId neighbour : graph.neighbours(curious)) near[neighbour] = true;
  }
  std::vector<bool> boundary;
  for (const PartyId party : parties) boundary.push_back(near[party]);
  Graph left = graph.restricted_to(parties);
  std::vector<std::uint32_t> edges = graph.edges_among(parties);
  return {.parties = std::move(parties),
          .graph = std::move(left),
          .edges = std::move(edges),
          .boundary = std::move(boundary)};
}

std::optional<double> smallest_lambda_2(const Graph& graph, std::size_t size) {
  constexpr double kFewCoalitions = 4;  // a sparse eigenvalue each, whatever n is
  if (graph.size() - size < 2) return 0.0;
  if (graph.topology() == Topology::kComplete) {
    return static_cast<double>(graph.size() - size);
  }
  if (!can_visit_coalitions(graph, size, kPairwiseWork) &&
      coalition_count(graph, size) > kFewCoalitions) {
    const double whole = safe_spectrum(graph).lambda_2;
    const double bound =
        std::max(whole - static_cast<double>(size), size == 1 ? lambda_2_without_one(graph) : 0.0);
    return bound > 0 ? std::optional(bound) : std::nullopt;
  }
  double smallest = std::numeric_limits<double>::infinity();
  for_each_coalition(graph, size, [&](std::span<const PartyId> coalition) {
    const Graph left = graph.restricted_to(graph.all_but(coalition));
    smallest = std::min(smallest, left.connected() ? safe_spectrum(left).lambda_2 : 0.0);
  });
  return smallest;
}

}  // namespace sotto::privacy
