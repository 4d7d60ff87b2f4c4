#pragma once

// Simulations whose rounds go message by message too, through the state machines that a network
// drives: what the engine's bits are compared with. With a `schedule`, in any order of delivery.

#include <algorithm>
#include <memory>
#include <vector>

#include "protocol/averaging.h"
#include "protocol/gt.h"
#include "protocol/setup.h"
#include "simulate/simulation.h"

namespace sotto::simulate_test {

inline TrialValues average_by_messages(const AveragingSetup& setup, std::span<const Secret> secrets,
                                       const SimulationOptions& options,
                                       RandomSource* schedule = nullptr) {
  TrialValues result(options.trials, secrets.size(), secrets[0].size());
  for (std::uint64_t trial = 0; trial < options.trials; ++trial) {
    std::vector<std::unique_ptr<NoiseSource>> noise;
    std::vector<std::unique_ptr<RandomSource>> keys;
    std::vector<std::unique_ptr<Party>> parties;
    for (PartyId i = 0; i < secrets.size(); ++i) {
      noise.push_back(fast_noise(options.seed, simulated_stream(trial, i, Draws::kNoise)));
      keys.push_back(
          std::make_unique<SeededRandom>(options.seed, simulated_stream(trial, i, Draws::kKeys)));
      parties.push_back(std::make_unique<AveragingParty>(
          i, setup.weights, setup.consensus,
          make_sealing(setup.noise, {.self = i,
                                     .graph = setup.weights.graph(),
                                     .secret = secrets[i],
                                     .noise = *noise.back(),
                                     .keys = *keys.back(),
                                     .cipher = &ideal_cipher(),
                                     .context = "sotto simulation",
                                     .agreement = Agreement::kIdeal})));
    }
    (void)run_messages(parties, schedule).value();
    for (PartyId i = 0; i < secrets.size(); ++i) {
      std::ranges::copy(static_cast<AveragingParty&>(*parties[i]).result().values,
                        result.at(trial, i).begin());
    }
  }
  return result;
}

inline TrialValues track_by_messages(const TrackingSetup& setup, std::span<const Secret> secrets,
                                     const SimulationOptions& options,
                                     RandomSource* schedule = nullptr) {
  TrialValues result(options.trials, secrets.size(), setup.dimension);
  for (std::uint64_t t = 0; t < options.trials; ++t) {
    const auto costs = draw_costs(setup, secrets, options.seed, t);
    std::vector<std::unique_ptr<Party>> parties;
    for (PartyId i = 0; i < secrets.size(); ++i) {
      parties.push_back(
          std::make_unique<GradientTracking>(i, setup.weights, costs[i], setup.step, setup.rounds));
    }
    (void)run_messages(parties, schedule).value();
    for (PartyId i = 0; i < secrets.size(); ++i) {
      const auto x = static_cast<GradientTracking&>(*parties[i]).x();
      std::copy(x.begin(), x.end(), result.at(t, i).begin());
    }
  }
  return result;
}

}  // namespace sotto::simulate_test
