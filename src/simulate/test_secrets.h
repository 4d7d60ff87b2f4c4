#pragma once

// Secrets for the tests of this room: made up, and small beside no noise.

#include <vector>

#include "base/random.h"
#include "privacy/seal.h"

namespace sotto::simulate_test {

inline double small_number(RandomSource& random) {
  return static_cast<double>(random.below(std::uint64_t{1} << 41)) * 0x1p-40 - 1;
}

using Theta = std::vector<double>;

inline std::vector<Theta> random_thetas(std::size_t parties, std::size_t entries,
                                        std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Theta> thetas(parties, Theta(entries));
  for (Theta& theta : thetas) {
    for (double& entry : theta) entry = small_number(random);
  }
  return thetas;
}

inline std::vector<Secret> secrets_of(const std::vector<Theta>& thetas, double mu) {
  std::vector<Secret> secrets;
  secrets.reserve(thetas.size());
  for (const Theta& theta : thetas) {
    secrets.push_back(Secret::of_entries(theta, *Sensitivity::make(mu)));
  }
  return secrets;
}

inline Theta sum_of(const std::vector<Theta>& thetas) {
  Theta total(thetas[0].size(), 0.0);
  for (const Theta& theta : thetas) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += theta[k];
  }
  return total;
}

// A connected graph: a random tree, and every other pair with probability percent/100.
inline Graph random_graph(std::size_t parties, std::uint64_t percent, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Edge> edges;
  for (PartyId b = 1; b < parties; ++b) {
    const auto parent = static_cast<PartyId>(random.below(b));
    for (PartyId a = 0; a < b; ++a) {
      if (a == parent || random.below(100) < percent) edges.push_back({a, b});
    }
  }
  return *Graph::make(parties, edges);
}

}  // namespace sotto::simulate_test
