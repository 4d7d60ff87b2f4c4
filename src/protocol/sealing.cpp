// Which solver seals how: the only place that asks. And the sealing of `ac`.
#include "protocol/sealing.h"

#include <utility>

#include "base/check.h"

namespace sotto {
namespace {

// Every party noises its own numbers, and its neighbours have no part in it.
class LocalSealing final : public Sealing {
 public:
  explicit LocalSealing(Released released) : released_(std::move(released)) {}
  [[nodiscard]] Result<std::vector<Message>> start() override { return std::vector<Message>{}; }
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    return bad_peer(message.from, "sent a sealing message where there is nothing to seal");
  }
  [[nodiscard]] bool done() const override { return true; }
  [[nodiscard]] Released release() const override { return released_; }
  [[nodiscard]] std::size_t entries() const override { return released_.indices.size(); }

 private:
  Released released_;
};

}  // namespace

std::unique_ptr<Sealing> make_sealing(const Noise& noise, SealingInputs inputs) {
  if (const auto* local = std::get_if<LocalNoise>(&noise)) {
    return std::make_unique<LocalSealing>(
        release_locally(inputs.secret, local->sigma, inputs.noise));
  }
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&noise)) {
    return protocol::seal_dishuf(*shuffle, std::move(inputs));
  }
  const auto* pairwise = std::get_if<PairwiseNoise>(&noise);
  check(pairwise != nullptr, "gt seals nothing");
  return protocol::seal_pairwise(*pairwise, inputs);
}

}  // namespace sotto
