#include "protocol/sealing.h"

#include <utility>

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
  [[nodiscard]] std::size_t entries() const override { return released_.indices.size(); }

 private:
  Released released_;
};

}  // namespace

std::unique_ptr<Sealing> make_local_sealing(const Secret& secret, double sigma,
                                            NoiseSource& noise) {
  return std::make_unique<LocalSealing>(release_locally(secret, sigma, noise));
}

}  // namespace sotto
