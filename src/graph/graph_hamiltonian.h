#pragma once

#include "graph/rows.h"

namespace sotto::graphs {

// Everybody's neighbours in a random regular graph of many parties. Precondition: 2 ≤ degree ≤
// kMaxManyDegree, and parties·degree is even.
[[nodiscard]] Rows random_cycles(std::size_t parties, std::size_t degree, std::uint64_t seed);

// Beyond, cycles have too many edges in common.
inline constexpr std::size_t kMaxManyDegree = 1'000;

}  // namespace sotto::graphs
