#include "graph/rows.h"

#include <mutex>
#include <numeric>

// From edges in any order to everybody's neighbours, by counting.
namespace sotto::graphs {

Rows rows_of(std::size_t parties, std::span<const Edge> edges) {
  Rows rows;
  rows.first.assign(parties + 1, 0);
  for (const auto& [a, b] : edges) {
    ++rows.first[a + 1];
    ++rows.first[b + 1];
  }
  std::inclusive_scan(rows.first.begin(), rows.first.end(), rows.first.begin());
  rows.adjacent.resize(2 * edges.size());
  std::vector<std::size_t> next(rows.first.begin(), rows.first.end() - 1);
  for (const auto& [a, b] : edges) {
    rows.adjacent[next[a]++] = b;
    rows.adjacent[next[b]++] = a;
  }
  for_blocks(parties, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::ranges::sort(rows.of(static_cast<PartyId>(i)));
  });
  return rows;
}

std::optional<Edge> first_double(const Rows& rows) {
  std::mutex mutex;
  std::optional<Edge> found;
  for_blocks(rows.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto around = rows.of(static_cast<PartyId>(i));
      const auto twice = std::ranges::adjacent_find(around);
      if (twice == around.end()) continue;
      const Edge edge{std::min(static_cast<PartyId>(i), *twice),
                      std::max(static_cast<PartyId>(i), *twice)};
      const std::scoped_lock lock(mutex);
      if (!found || edge < *found) found = edge;
    }
  });
  return found;
}

}  // namespace sotto::graphs
