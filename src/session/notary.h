#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace sotto {

// Signs for this party, and knows whose signature is whose. On a network: Ed25519
// under the certificates that the study pins.
class Notary {
 public:
  Notary() = default;
  Notary(const Notary&) = delete;
  Notary& operator=(const Notary&) = delete;
  virtual ~Notary() = default;

  [[nodiscard]] virtual std::string certificate() const = 0;
  [[nodiscard]] virtual std::string sign(std::string_view text) const = 0;
  // Whether the study names this certificate for `party`.
  [[nodiscard]] virtual bool pinned(PartyId party, std::string_view certificate) const = 0;
  [[nodiscard]] virtual bool verify(std::string_view certificate, std::string_view text,
                                    std::string_view signature) const = 0;
};

}  // namespace sotto
