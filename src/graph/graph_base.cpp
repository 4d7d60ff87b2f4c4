#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/words.h"
#include "graph/rows.h"

// The graph of a base-(k+1) sequence (Takezawa, Sato, Bao, Niwa, Yamada 2023), for as many parties
// as have no prime factor above k + 1. There the sequence is their k-peer hyper-hypercube: write
// parties in mixed base, n = n₁·…·n_L with n_l ≤ k + 1; in round l those who differ in digit l
// alone average, and after L rounds everybody has the mean. What it ever joins are the pairs that
// differ in one digit: the product of complete graphs K_{n₁} × … × K_{n_L}. docs/SCOPE.md says why
// that graph is offered, and not the sequence.
namespace sotto {
namespace {

constexpr std::size_t kMaxBase = 1'000;

// The largest first, each at most the one before it.
class Digits {
 public:
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> of(std::size_t parties,
                                                             std::size_t largest) {
    if (parties == 1) return std::vector<std::uint32_t>{};
    const auto known = found_.find({parties, largest});
    if (known != found_.end()) return known->second;
    std::optional<std::vector<std::uint32_t>> best;
    for (std::size_t digit = std::min(largest, parties); digit >= 2; --digit) {
      if (parties % digit != 0) continue;
      auto rest = of(parties / digit, digit);
      if (!rest || (best && rest->size() + 1 >= best->size())) continue;
      rest->insert(rest->begin(), static_cast<std::uint32_t>(digit));
      best = std::move(rest);
    }
    found_[{parties, largest}] = best;
    return best;
  }

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::optional<std::vector<std::uint32_t>>> found_;
};

std::size_t largest_prime_factor(std::size_t number) {
  std::size_t largest = 1;
  for (std::size_t p = 2; p * p <= number; ++p) {
    while (number % p == 0) {
      largest = p;
      number /= p;
    }
  }
  return std::max(largest, number);
}

}  // namespace

std::optional<std::vector<std::uint32_t>> base_digits(std::size_t parties, std::size_t base) {
  return Digits().of(parties, base);
}

Result<Graph> Graph::base(std::size_t parties, std::size_t base) {
  if (parties < 2 || parties > kMaxParties) {
    return bad_input(
        "E-graph-parties",
        fmt::format("a base-{} graph of {}", base, counted(parties, "party", "parties")),
        fmt::format("from 2 to {} parties", kMaxParties));
  }
  if (base < 2 || base > kMaxBase) {
    return bad_input("E-graph-base", fmt::format("a base-{} graph", base),
                     fmt::format("a base from 2 to {}", kMaxBase));
  }
  const auto digits = base_digits(parties, base);
  if (!digits) {
    const std::size_t prime = largest_prime_factor(parties);
    std::size_t above = parties + 1;
    while (largest_prime_factor(above) > base) ++above;
    return bad_input("E-graph-base",
                     fmt::format("{} parties cannot be written with digits of up to {} values: {} "
                                 "is a prime factor",
                                 parties, base, prime),
                     fmt::format("{} parties, or a base of at least {}", above, prime));
  }
  std::size_t degree = 0;
  for (const std::uint32_t values : *digits) degree += values - 1;
  if (parties * degree / 2 > kMaxEdges) {
    return bad_input("E-graph-base",
                     fmt::format("a base-{} graph of {} parties has {} edges", base, parties,
                                 parties * degree / 2),
                     fmt::format("at most {}: a smaller base", kMaxEdges));
  }
  graphs::Rows rows;
  rows.first.resize(parties + 1);
  for (std::size_t i = 0; i <= parties; ++i) rows.first[i] = i * degree;
  rows.adjacent.resize(parties * degree);
  graphs::for_blocks(parties, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t filled = rows.first[i];
      std::size_t worth = 1;  // of the digit
      for (const std::uint32_t values : *digits) {
        const std::size_t own = i / worth % values;
        for (std::size_t other = 0; other < values; ++other) {
          if (other == own) continue;
          rows.adjacent[filled++] = static_cast<PartyId>(i + other * worth - own * worth);
        }
        worth *= values;
      }
      std::ranges::sort(rows.of(static_cast<PartyId>(i)));
    }
  });
  Graph graph = of_rows(Topology::kBase, std::move(rows));
  graph.digits_ = *digits;
  return graph;
}

}  // namespace sotto
