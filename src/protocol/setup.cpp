// From a setup to state machines: who draws what, from which stream, and what is made of it.
#include "protocol/setup.h"

#include <utility>

#include "privacy/noise/noise.h"
#include "protocol/averaging.h"
#include "protocol/gt.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

// The number-th key that `key` gives.
KeyedRandom::Key stream(const KeyedRandom::Key& key, int number) {
  KeyedRandom random(key);
  KeyedRandom::Key result{};
  for (int k = 0; k <= number; ++k) random.fill(result);
  return result;
}

// A party together with what it draws from.
class DrawingParty final : public StagedParty {
 public:
  DrawingParty(const Setup& setup, PartyInputs inputs)
      : noise_bits_(stream(inputs.draws, 0)),
        keys_(stream(inputs.draws, 1)),
        noise_(exact_noise(noise_bits_)) {
    if (const auto* gt = std::get_if<TrackingSetup>(&setup)) {
      party_ = std::make_unique<TrackingParty>(
          inputs.self, gt->weights,
          perturb_cost(inputs.secret, gt->dimension, gt->laplace, gt->sigma, *noise_), gt->step,
          gt->rounds);
      return;
    }
    const auto& averaging = std::get<AveragingSetup>(setup);
    auto sealing = make_sealing(averaging.noise, {.self = inputs.self,
                                                  .graph = averaging.weights.graph(),
                                                  .secret = inputs.secret,
                                                  .noise = *noise_,
                                                  .keys = keys_,
                                                  .cipher = inputs.cipher,
                                                  .key = std::move(inputs.key),
                                                  .context = inputs.context});
    party_ = std::make_unique<AveragingParty>(inputs.self, averaging.weights, averaging.consensus,
                                              std::move(sealing), Barrier::kHeld);
  }

  [[nodiscard]] Result<std::vector<Message>> start() override { return party_->start(); }
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    return party_->receive(message);
  }
  [[nodiscard]] bool done() const override { return party_->done(); }
  [[nodiscard]] bool sealed() const override { return party_->sealed(); }
  [[nodiscard]] Result<std::vector<Message>> release() override { return party_->release(); }
  [[nodiscard]] Average result() const override { return party_->result(); }
  [[nodiscard]] bool agrees(std::span<const double> theirs, double scale) const override {
    return party_->agrees(theirs, scale);
  }

 private:
  KeyedRandom noise_bits_;
  KeyedRandom keys_;
  std::unique_ptr<NoiseSource> noise_;
  std::unique_ptr<StagedParty> party_;
};

}  // namespace

std::unique_ptr<StagedParty> make_party(const Setup& setup, PartyInputs inputs) {
  return std::make_unique<DrawingParty>(setup, std::move(inputs));
}

std::uint64_t simulated_stream(std::uint64_t trial, PartyId party, Draws purpose) {
  return (trial << 24) | (std::uint64_t{party} << 2) | static_cast<std::uint64_t>(purpose);
}

std::vector<PerturbedCost> draw_costs(const TrackingSetup& setup, std::span<const Secret> secrets,
                                      std::uint64_t seed, std::uint64_t trial) {
  std::vector<PerturbedCost> costs;
  for (PartyId i = 0; i < secrets.size(); ++i) {
    const auto noise = fast_noise(seed, simulated_stream(trial, i, Draws::kNoise));
    costs.push_back(perturb_cost(secrets[i], setup.dimension, setup.laplace, setup.sigma, *noise));
  }
  return costs;
}

}  // namespace sotto
