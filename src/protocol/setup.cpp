// From a setup to state machines: who draws what, from which stream, and what is made of it.
#include "protocol/setup.h"

#include <utility>

#include "protocol/averaging.h"
#include "protocol/gt.h"

namespace sotto {
namespace {

struct Sources {
  KeyedRandom noise_bits;
  KeyedRandom keys;
  std::unique_ptr<NoiseSource> noise = exact_noise(noise_bits);

  explicit Sources(const KeyedRandom::Key& draws)
      : noise_bits(derived_key(draws, 0)), keys(derived_key(draws, 1)) {}
};

// A party together with what it draws from, which is there before it and after it.
class DrawingParty final : private Sources, public AveragingParty {
 public:
  DrawingParty(const AveragingSetup& setup, PartyInputs inputs)
      : Sources(inputs.draws),
        AveragingParty(inputs.self, setup.weights, setup.consensus,
                       make_sealing(setup.noise, {.self = inputs.self,
                                                  .graph = setup.weights.graph(),
                                                  .secret = inputs.secret,
                                                  .noise = *noise,
                                                  .keys = keys,
                                                  .cipher = inputs.cipher,
                                                  .key_pairs = std::move(inputs.key_pairs),
                                                  .context = inputs.context}),
                       Barrier::kHeld) {}
};

}  // namespace

std::unique_ptr<StagedParty> make_party(const Setup& setup, PartyInputs inputs) {
  const auto* gt = std::get_if<TrackingSetup>(&setup);
  if (gt == nullptr) {
    return std::make_unique<DrawingParty>(std::get<AveragingSetup>(setup), std::move(inputs));
  }
  const Sources sources(inputs.draws);
  return std::make_unique<TrackingParty>(
      inputs.self, gt->weights,
      perturb_cost(inputs.secret, gt->dimension, gt->laplace, gt->sigma, *sources.noise), gt->step,
      gt->rounds);
}

std::uint64_t simulated_stream(std::uint64_t trial, PartyId party, Draws purpose) {
  return noise::stream_of(trial, party, purpose);
}

std::vector<PerturbedCost> draw_costs(const TrackingSetup& setup, const Secrets& secrets,
                                      std::uint64_t seed, std::uint64_t trial) {
  std::vector<PerturbedCost> costs;
  for (PartyId i = 0; i < secrets.size(); ++i) {
    const auto noise = fast_noise(seed, simulated_stream(trial, i, Draws::kNoise));
    costs.push_back(
        perturb_cost(secrets.of(i), setup.dimension, setup.laplace, setup.sigma, *noise));
  }
  return costs;
}

}  // namespace sotto
