#pragma once

#include <string>
#include <string_view>

#include "session/terms.h"

// What stands for keys and certificates where a whole network is simulated in one process: nothing
// real is protected by it, and it is the same for the same seed.
namespace sotto {

// From a seed, as no party on a network can have it: by way of a journal.
[[nodiscard]] RunKey simulated_key(RandomSource& random);

// Signatures that cost nothing: a hash of the signer's certificate and the text. Anybody could
// forge one; in a simulation only those do who are meant to.
class SimulatedSigner final : public Signer {
 public:
  explicit SimulatedSigner(PartyId self) : self_(self) {}
  [[nodiscard]] std::string certificate() const override;
  [[nodiscard]] std::string sign(std::string_view text) const override;
  [[nodiscard]] bool pinned(PartyId party, std::string_view certificate) const override;
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override;

 private:
  PartyId self_;
};

}  // namespace sotto
