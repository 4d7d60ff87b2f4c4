#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "base/words.h"
#include "graph/graph.h"

// The graphs that have names.
namespace sotto {
namespace {

Result<void> require_parties(std::string_view kind, std::size_t parties, std::size_t at_least,
                             std::size_t at_most = kMaxParties) {
  if (parties >= at_least && parties <= at_most) return {};
  return bad_input("E-graph-parties",
                   fmt::format("a {} of {}", kind, counted(parties, "party", "parties")),
                   fmt::format("from {} to {} parties", at_least, at_most));
}

// The most parties whose complete graph has at most this many edges: half of all pairs among more
// would be of no use to anybody.
constexpr std::size_t kMaxCompleteEdges = 10'000'000;
constexpr std::size_t max_complete() {
  std::size_t parties = 2;
  while ((parties + 1) * parties / 2 <= kMaxCompleteEdges) ++parties;
  return parties;
}

// The nearest numbers, below and above, that some shape can have.
template <class Fits>
std::string nearest_sizes(std::size_t parties, const Fits& fits) {
  std::vector<std::size_t> sizes;
  for (std::size_t below = parties; below-- > 1;) {
    if (!fits(below)) continue;
    sizes.push_back(below);
    break;
  }
  std::size_t above = parties + 1;
  while (!fits(above)) ++above;
  sizes.push_back(above);
  return fmt::format("{}", fmt::join(sizes, " or "));
}

}  // namespace

Result<Graph> Graph::cycle(std::size_t parties) {
  SOTTO_TRY(require_parties("cycle", parties, 3));
  std::vector<Edge> edges;
  for (PartyId i = 0; i < parties; ++i) edges.push_back({i, PartyId((i + 1) % parties)});
  return trusted(Topology::kCycle, parties, edges);
}

Result<Graph> Graph::path(std::size_t parties) {
  SOTTO_TRY(require_parties("path", parties, 2));
  std::vector<Edge> edges;
  for (PartyId i = 0; i + 1 < parties; ++i) edges.push_back({i, i + 1});
  return trusted(Topology::kPath, parties, edges);
}

Result<Graph> Graph::star(std::size_t parties) {
  SOTTO_TRY(require_parties("star", parties, 2));
  std::vector<Edge> edges;
  for (PartyId i = 1; i < parties; ++i) edges.push_back({0, i});
  return trusted(Topology::kStar, parties, edges);
}

Result<Graph> Graph::complete(std::size_t parties) {
  SOTTO_TRY(require_parties("complete graph", parties, 2, max_complete()));
  std::vector<Edge> edges;
  edges.reserve(parties * (parties - 1) / 2);
  for (PartyId i = 0; i < parties; ++i) {
    for (PartyId j = i + 1; j < parties; ++j) edges.push_back({i, j});
  }
  return trusted(Topology::kComplete, parties, edges);
}

std::size_t grid_rows(std::size_t parties) {
  std::size_t rows = 1;
  for (std::size_t i = 2; i * i <= parties; ++i) {
    if (parties % i == 0) rows = i;
  }
  return rows;
}

Result<Graph> Graph::grid(std::size_t parties) {
  SOTTO_TRY(require_parties("grid", parties, 2));
  const std::size_t rows = grid_rows(parties);
  if (rows < 2) {
    return bad_input(
        "E-graph-grid", fmt::format("{} parties do not make a grid: {} is prime", parties, parties),
        fmt::format("{} parties, or another topology",
                    nearest_sizes(parties, [](std::size_t n) { return grid_rows(n) >= 2; })));
  }
  const std::size_t columns = parties / rows;
  std::vector<Edge> edges;
  for (PartyId i = 0; i < parties; ++i) {
    if ((i + 1) % columns != 0) edges.push_back({i, i + 1});
    if (i + columns < parties) edges.push_back({i, PartyId(i + columns)});
  }
  return trusted(Topology::kGrid, parties, edges);
}

Result<Graph> Graph::torus(std::size_t parties) {
  SOTTO_TRY(require_parties("torus", parties, 9));
  const std::size_t rows = grid_rows(parties);
  if (rows < 3) {
    return bad_input(
        "E-graph-grid", fmt::format("{} parties do not make a torus of 3 rows or more", parties),
        fmt::format("{} parties, or another topology",
                    nearest_sizes(parties, [](std::size_t n) { return grid_rows(n) >= 3; })));
  }
  const std::size_t columns = parties / rows;
  std::vector<Edge> edges;
  edges.reserve(2 * parties);
  for (std::size_t i = 0; i < parties; ++i) {
    const std::size_t right = (i + 1) % columns == 0 ? i + 1 - columns : i + 1;
    edges.push_back({PartyId(i), PartyId(right)});
    edges.push_back({PartyId(i), PartyId((i + columns) % parties)});
  }
  return trusted(Topology::kTorus, parties, edges);
}

// An outer five-cycle, an inner five-pointed star, and five spokes.
Graph Graph::petersen() {
  std::vector<Edge> edges;
  for (PartyId i = 0; i < 5; ++i) {
    edges.push_back({i, (i + 1) % 5});
    edges.push_back({5 + i, 5 + (i + 2) % 5});
    edges.push_back({i, 5 + i});
  }
  return trusted(Topology::kPetersen, 10, edges);
}

}  // namespace sotto
