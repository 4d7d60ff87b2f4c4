#pragma once

// Secrets for the tests of this room: made up, and small beside no noise.

#include <vector>

#include "base/random.h"
#include "privacy/seal.h"
#include "support/parties.h"

namespace sotto::simulate_test {

using protocol_test::secrets_of;
using protocol_test::small_number;
using Theta = std::vector<double>;

inline std::vector<Theta> random_thetas(std::size_t parties, std::size_t entries,
                                        std::uint64_t seed) {
  SeededRandom random(seed);
  return protocol_test::small_numbers(parties, entries, random);
}

inline Theta sum_of(const std::vector<Theta>& thetas) {
  Theta total(thetas[0].size(), 0.0);
  for (const Theta& theta : thetas) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += theta[k];
  }
  return total;
}

inline Graph random_graph(std::size_t parties, std::uint64_t percent, std::uint64_t seed) {
  SeededRandom random(seed);
  return protocol_test::connected_graph(parties, percent, random);
}

}  // namespace sotto::simulate_test
