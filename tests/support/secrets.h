#pragma once

// Secrets for the tests of this room: made up, and small beside no noise.

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "privacy/seal.h"
#include "simulate/engine.h"
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

// One trial each, and back.
inline TrialValues trials_of(const std::vector<std::vector<Theta>>& trials) {
  TrialValues values(trials.size(), trials[0].size(), trials[0][0].size());
  for (std::size_t t = 0; t < trials.size(); ++t) {
    for (std::size_t i = 0; i < trials[t].size(); ++i) {
      std::ranges::copy(trials[t][i], values.at(t, i).begin());
    }
  }
  return values;
}

inline std::vector<Theta> thetas_of(const TrialValues& values, std::size_t trial) {
  std::vector<Theta> thetas;
  for (std::size_t i = 0; i < values.parties(); ++i) {
    thetas.emplace_back(values.at(trial, i).begin(), values.at(trial, i).end());
  }
  return thetas;
}

inline Graph random_graph(std::size_t parties, std::uint64_t percent, std::uint64_t seed) {
  SeededRandom random(seed);
  return protocol_test::connected_graph(parties, percent, random);
}

}  // namespace sotto::simulate_test
