#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "graph/graph.h"
#include "graph/spectrum_bounds.h"

// Who reaches whom, and in how many steps.
namespace sotto {
namespace {

constexpr std::size_t kPartsShown = 3;
constexpr std::size_t kMembersShown = 6;

// "{1, 2, 3, 4, 5, 6 and 12 more}"
std::string abbreviated(const std::vector<PartyId>& members) {
  std::vector<PartyId> shown;
  for (const PartyId party : members) {
    if (shown.size() < kMembersShown) shown.push_back(party + 1);
  }
  const std::size_t more = members.size() - shown.size();
  return fmt::format("{{{}{}}}", fmt::join(shown, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

DistanceLevels::DistanceLevels(const Graph& graph, PartyId centre)
    : graph_(graph), reached_(graph.size(), false), levels_{{centre}} {
  reached_[centre] = true;
}

const std::vector<PartyId>& DistanceLevels::at(std::size_t distance) {
  while (levels_.size() <= distance) {
    std::vector<PartyId> next;
    for (const PartyId party : levels_.back()) {
      for (const PartyId neighbour : graph_.neighbours(party)) {
        if (reached_[neighbour]) continue;
        reached_[neighbour] = true;
        next.push_back(neighbour);
      }
    }
    std::ranges::sort(next);
    levels_.push_back(std::move(next));
  }
  return levels_[distance];
}

std::vector<std::uint32_t> distances(const Graph& graph, PartyId from) {
  std::vector<std::uint32_t> hops(graph.size(), static_cast<std::uint32_t>(graph.size()));
  DistanceLevels levels(graph, from);
  for (std::uint32_t distance = 0; !levels.at(distance).empty(); ++distance) {
    for (const PartyId party : levels.at(distance)) hops[party] = distance;
  }
  return hops;
}

std::vector<std::uint32_t> Graph::components() const {
  constexpr auto kNotYet = ~std::uint32_t{0};
  std::vector<std::uint32_t> component(size(), kNotYet);
  std::vector<PartyId> queue;
  std::uint32_t count = 0;
  for (PartyId start = 0; start < size(); ++start) {
    if (component[start] != kNotYet) continue;
    component[start] = count;
    queue.assign(1, start);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const PartyId neighbour : neighbours(queue[head])) {
        if (component[neighbour] != kNotYet) continue;
        component[neighbour] = count;
        queue.push_back(neighbour);
      }
    }
    ++count;
  }
  return component;
}

bool Graph::connected() const {
  auto& known = shape_->spectrum->connected;
  if (known == graphs::Known::kNotYet) {
    known = std::ranges::max(components()) == 0 ? graphs::Known::kYes : graphs::Known::kNo;
  }
  return known == graphs::Known::kYes;
}

namespace {

// Where a formula says it: a digit is changed in one step, a ring or a path walked.
std::optional<std::size_t> known_diameter(const Graph& graph) {
  const std::size_t n = graph.size();
  const std::size_t rows = grid_rows(n);
  switch (graph.topology()) {
    case Topology::kCycle:
      return n / 2;
    case Topology::kPath:
      return n - 1;
    case Topology::kGrid:
      return rows + n / rows - 2;
    case Topology::kTorus:
      return rows / 2 + n / rows / 2;
    case Topology::kBase:
      return graph.digits().size();
    default:
      return std::nullopt;
  }
}

}  // namespace

// Everybody reaches everybody by way of any one party: in twice as many steps as that takes to
// the farthest. From the middle of a long way that is nearly the diameter (Crescenzi et al. 2013).
std::size_t steps_by_way_of_one(const Graph& graph) {
  const auto farthest = [&](const std::vector<std::uint32_t>& hops) {
    return static_cast<PartyId>(std::ranges::max_element(hops) - hops.begin());
  };
  const PartyId one_end = farthest(distances(graph, 0));
  const std::vector<std::uint32_t> from_one = distances(graph, one_end);
  const PartyId other_end = farthest(from_one);
  const std::uint32_t length = from_one[other_end];
  const std::vector<std::uint32_t> from_other = distances(graph, other_end);
  PartyId middle = one_end;
  for (PartyId i = 0; i < graph.size(); ++i) {
    if (from_one[i] == length / 2 && from_one[i] + from_other[i] == length) {
      middle = i;
      break;
    }
  }
  return 2 * std::size_t{std::ranges::max(distances(graph, middle))};
}

// The same search from all parties, 64 at a time, one bit for each (Then et al.,
// VLDB 2015): in a small-world graph 64 frontiers soon coincide, so that all share
// the walk along an edge; in a long path they cost no more than one by one.
std::size_t Graph::diameter() const {
  check(connected(), "a graph whose diameter is asked for is connected");
  if (edges().size() == size() * (size() - 1) / 2) return size() == 1 ? 0 : 1;
  if (const auto known = known_diameter(*this)) return *known;
  if (size() > kMaxNamedParties) return steps_by_way_of_one(*this);
  std::size_t longest = 0;
  std::vector<std::uint64_t> seen(size());
  std::vector<std::uint64_t> news(size());
  std::vector<std::uint64_t> heard(size());
  std::vector<PartyId> frontier;
  std::vector<PartyId> next;
  for (std::size_t batch = 0; batch < size(); batch += 64) {
    std::ranges::fill(seen, 0);
    frontier.clear();
    for (std::size_t i = batch; i < std::min(batch + 64, size()); ++i) {
      seen[i] = news[i] = std::uint64_t{1} << (i - batch);
      frontier.push_back(static_cast<PartyId>(i));
    }
    for (std::size_t rounds = 0; !frontier.empty(); ++rounds) {
      longest = std::max(longest, rounds);
      next.clear();
      for (const PartyId at : frontier) {
        for (const PartyId to : neighbours(at)) {
          const std::uint64_t fresh = news[at] & ~seen[to];
          if (fresh == 0) continue;
          if (heard[to] == 0) next.push_back(to);
          heard[to] |= fresh;
        }
      }
      for (const PartyId at : frontier) news[at] = 0;
      for (const PartyId at : next) {
        news[at] = std::exchange(heard[at], 0);
        seen[at] |= news[at];
      }
      frontier.swap(next);
    }
  }
  return longest;
}

Result<void> require_connected(const Graph& graph) {
  if (graph.connected()) return {};
  const std::vector<std::uint32_t> component = graph.components();
  const std::size_t parts = std::size_t{std::ranges::max(component)} + 1;
  std::vector<std::vector<PartyId>> members(parts);
  for (PartyId i = 0; i < graph.size(); ++i) members[component[i]].push_back(i);
  std::string list;
  const std::size_t shown = std::min(parts, kPartsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == parts;
    list += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", abbreviated(members[i]));
  }
  if (shown < parts) list += fmt::format(" and {} more", parts - shown);
  return bad_input(
      "E-graph-disconnected", fmt::format("the graph falls into {} parts: parties {}", parts, list),
      fmt::format("join the parts, for example by an edge between party {} and party {}",
                  members[0][0] + 1, members[1][0] + 1));
}

}  // namespace sotto
