// One run of `dishuf`, message by message: five parties on a cycle shuffle, release,
// and agree on a sum, while messages arrive in a random order.

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <vector>

#include "protocol/averaging_party.h"
#include "simulate/message_simulator.h"

int main() {
  using namespace sotto;

  // What is public: who talks to whom, how the average is reached, how much noise.
  const Weights weights = *Weights::uniform(*Graph::cycle(5), 0.3);
  const auto consensus = plan_consensus(ConsensusMethod::kExact, 1e-9, weights);
  const Sensitivity mu = *Sensitivity::make(1.0);
  const Budget budget = *Budget::make(1.0, 1e-6);
  const auto noise = calibrate_shuffle(weights.graph(), mu, budget, {}, 0);
  if (!consensus || !noise) return 1;

  // What is not: each party's θ_i. A Secret cannot be read back; it can only be sealed.
  std::vector<std::unique_ptr<Party>> parties;
  std::vector<std::unique_ptr<NoiseSource>> sources;
  std::vector<std::unique_ptr<RandomSource>> keys;
  double truth = 0;
  for (PartyId i = 0; i < weights.graph().size(); ++i) {
    const double theta = 100.0 + 10.0 * i;
    truth += theta;
    const Secret secret = Secret::of_entries(std::vector<double>{theta}, mu);

    // From a seed, because this is a simulation. With real data it would be
    // exact_noise over an OsRandom, which nobody can give a seed.
    sources.push_back(fast_noise(7, i));
    keys.push_back(std::make_unique<SeededRandom>(8, i));

    // A party is a state machine: messages in, messages out. The network drives the same one.
    parties.push_back(std::make_unique<AveragingParty>(
        i, weights, *consensus,
        make_shuffle(i, weights.graph(), secret, *noise, *sources[i], ideal_cipher(),
                     ideal_cipher().generate(*keys[i]), *keys[i])));
  }

  SeededRandom order(9);
  const auto traffic = run_messages(parties, &order);
  if (!traffic) {
    fmt::print(stderr, "{}\n", traffic.error().to_string());
    return 1;
  }

  // Two messages over each edge in each direction to shuffle, then `diameter` rounds.
  fmt::print("{} messages, of which {} shuffle\n", traffic->messages,
             4 * weights.graph().edges().size());
  fmt::print("Σθ = {}, and the noise on it has σ = {:.2f}\n", truth,
             std::sqrt(5) * noise->sigma_gamma.get_d());
  for (const auto& party : parties) {
    fmt::print("a party's sum: {:.6f}\n", static_cast<const AveragingParty&>(*party).result()[0]);
  }
}
