// The sealing of `ac`, and of Laplace noise: every party noises its own numbers, and its neighbours
// have no part in it.
#include <utility>

#include "protocol/sealing.h"

namespace sotto {
namespace {

class LocalSealing final : public Sealing {
 public:
  explicit LocalSealing(Released released) : released_(std::move(released)) {}
  [[nodiscard]] Result<std::vector<Message>> start() override { return std::vector<Message>{}; }
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    return bad_peer(message.from, "sent a sealing message where there is nothing to seal");
  }
  [[nodiscard]] bool done() const override { return true; }
  [[nodiscard]] Released release() const override { return released_; }
  [[nodiscard]] bool shown() const override { return false; }
  [[nodiscard]] std::size_t entries() const override { return released_.indices.size(); }

 private:
  Released released_;
};

}  // namespace

std::unique_ptr<Sealing> protocol::seal_ac(const LocalNoise& noise, const SealingInputs& inputs) {
  return std::make_unique<LocalSealing>(release_locally(inputs.secret, noise.sigma, inputs.noise));
}

std::unique_ptr<Sealing> protocol::seal_laplace(const LaplaceNoise& noise,
                                                const SealingInputs& inputs) {
  return std::make_unique<LocalSealing>(release_locally(inputs.secret, noise, inputs.noise));
}

}  // namespace sotto
