#include "graph/graph_hamiltonian.h"

#include "base/check.h"
#include "graph/graph_draws.h"

// Random regular graphs of many parties: the union of d/2 random cycles through all parties, and of
// a random matching if d is odd. For fixed d ≥ 3 that is contiguous to the uniform random regular
// graph: what holds for one with probability → 1 holds for the other (Robinson, Wormald 1994;
// Molloy, Robalewska, Robinson, Wormald 1997). One cycle is enough for it to be connected, and
// orders that are computed, not shuffled, tell everybody's neighbours at once and on any thread.
// About d²/4 pairs are drawn twice: they are switched with edges that are drawn for it.
namespace sotto::graphs {
namespace {

constexpr std::uint64_t kSwitchStream = 1'000'000;
constexpr std::uint64_t kMaxSwitches = 100'000;  // tries for one double edge

bool holds(std::span<const PartyId> around, PartyId party) {
  return std::ranges::binary_search(around, party);
}

void replace(std::span<PartyId> around, PartyId before, PartyId after) {
  *std::ranges::lower_bound(around, before) = after;
  std::ranges::sort(around);
}

// ab, which stands there twice, and cd become ac and bd.
bool switched(Rows& rows, Edge twice, Edge other) {
  const auto [a, b] = twice;
  const auto [c, d] = other;
  if (a == c || a == d || b == c || b == d) return false;
  if (holds(rows.of(a), c) || holds(rows.of(b), d)) return false;
  const auto with_c = rows.of(c);
  if (std::ranges::count(with_c, d) != 1) return false;
  replace(rows.of(a), b, c);
  replace(rows.of(b), a, d);
  replace(rows.of(c), d, a);
  replace(rows.of(d), c, b);
  return true;
}

std::vector<Edge> doubles(const Rows& rows) {
  std::vector<Edge> all;
  for (PartyId i = 0; i < rows.size(); ++i) {
    const auto around = rows.of(i);
    for (std::size_t k = 1; k < around.size(); ++k) {
      if (around[k] == around[k - 1] && i < around[k]) all.push_back({i, around[k]});
    }
  }
  return all;
}

}  // namespace

Rows random_cycles(std::size_t parties, std::size_t degree, std::uint64_t seed) {
  std::vector<RandomOrder> orders;
  for (std::size_t k = 0; k < (degree + 1) / 2; ++k) {
    orders.emplace_back(parties, NumberedDraws(seed, k));
  }
  Rows rows;
  rows.first.resize(parties + 1);
  for (std::size_t i = 0; i <= parties; ++i) rows.first[i] = i * degree;
  rows.adjacent.resize(parties * degree);
  for_blocks(parties, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t filled = rows.first[i];
      const auto add = [&](std::uint64_t neighbour) {
        rows.adjacent[filled++] = static_cast<PartyId>(neighbour);
      };
      for (std::size_t k = 0; k < orders.size(); ++k) {
        const std::uint64_t place = orders[k].place_of(i);
        if (degree % 2 == 1 && k + 1 == orders.size()) {
          add(orders[k].at(place ^ 1));
        } else {
          add(orders[k].at(place + 1 == parties ? 0 : place + 1));
          add(orders[k].at(place == 0 ? parties - 1 : place - 1));
        }
      }
      std::ranges::sort(rows.of(static_cast<PartyId>(i)));
    }
  });

  const NumberedDraws draws(seed, kSwitchStream);
  std::uint64_t drawn = 0;
  for (const Edge& twice : doubles(rows)) {
    for (std::uint64_t tries = 0;; ++tries) {
      check(tries < kMaxSwitches, "a double edge can be switched with some other");
      const std::uint64_t place = draws.below(rows.adjacent.size(), drawn++);
      const auto c = static_cast<PartyId>(place / degree);
      if (switched(rows, twice, {c, rows.adjacent[place]})) break;
    }
  }
  return rows;
}

}  // namespace sotto::graphs
