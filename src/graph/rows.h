#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "graph/graph.h"

// Everybody's neighbours in one array: what graphs are made of while they are made. No vector or
// set for each party, and the same whatever the number of threads.
namespace sotto::graphs {

struct Rows {
  std::vector<std::size_t> first;  // neighbours of i: adjacent[first[i] .. first[i+1])
  std::vector<PartyId> adjacent;

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::span<const PartyId> of(PartyId party) const {
    return std::span(adjacent).subspan(first[party], first[party + 1] - first[party]);
  }
  [[nodiscard]] std::span<PartyId> of(PartyId party) {
    return std::span(adjacent).subspan(first[party], first[party + 1] - first[party]);
  }
};

// Parties in blocks, one thread each: work(begin, end).
template <class Work>
void for_blocks(std::size_t count, const Work& work) {
  constexpr std::size_t kBlock = std::size_t{1} << 14;
  parallel_for((count + kBlock - 1) / kBlock, 0,
               [&](std::size_t k) { work(k * kBlock, std::min(count, (k + 1) * kBlock)); });
}

// Each edge at both its ends, neighbours ascending. Loops and doubles stay. Precondition: ends are
// below `parties`.
[[nodiscard]] Rows rows_of(std::size_t parties, std::span<const Edge> edges);

// An edge that stands there twice; the first by its smaller end.
[[nodiscard]] std::optional<Edge> first_double(const Rows& rows);

}  // namespace sotto::graphs
