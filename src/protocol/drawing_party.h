#pragma once

#include <memory>
#include <utility>

#include "base/random.h"
#include "privacy/noise.h"
#include "protocol/message.h"

namespace sotto {

// A party of a run together with what it draws from, all of it from one key: a stream for the
// noise and another for keys and ciphertexts, so that neither depends on how much the other takes.
class DrawingParty final : public StagedParty {
 public:
  explicit DrawingParty(const KeyedRandom::Key& key);

  [[nodiscard]] NoiseSource& noise() { return *noise_; }
  [[nodiscard]] RandomSource& keys() { return keys_; }
  // The state machine, which may keep references to the two above. Before anything else.
  void set(std::unique_ptr<StagedParty> party) { party_ = std::move(party); }

  [[nodiscard]] Result<std::vector<Message>> start() override { return party_->start(); }
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    return party_->receive(message);
  }
  [[nodiscard]] bool done() const override { return party_->done(); }
  [[nodiscard]] bool sealed() const override { return party_->sealed(); }
  [[nodiscard]] Result<std::vector<Message>> release() override { return party_->release(); }
  [[nodiscard]] std::vector<double> result() const override { return party_->result(); }
  [[nodiscard]] bool agrees(std::span<const double> theirs, double scale) const override {
    return party_->agrees(theirs, scale);
  }

 private:
  KeyedRandom noise_bits_;
  KeyedRandom keys_;
  std::unique_ptr<NoiseSource> noise_;
  std::unique_ptr<StagedParty> party_;
};

}  // namespace sotto
