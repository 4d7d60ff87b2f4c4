#pragma once

#include <string>
#include <vector>

#include "network/identity.h"
#include "session/notary.h"

namespace sotto {

// Signs with the party's own key; knows the others by the fingerprints in the study.
class IdentityNotary final : public Notary {
 public:
  // fingerprints[party]. `identity` outlives this.
  IdentityNotary(const Identity& identity, std::vector<std::string> fingerprints)
      : identity_(identity), fingerprints_(std::move(fingerprints)) {}

  [[nodiscard]] std::string certificate() const override { return identity_.certificate_der(); }
  [[nodiscard]] std::string sign(std::string_view text) const override {
    return identity_.sign(text);
  }
  [[nodiscard]] bool pinned(PartyId party, std::string_view certificate) const override {
    return party < fingerprints_.size() && fingerprint_of_der(certificate) == fingerprints_[party];
  }
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override {
    return verify_signature(certificate, text, signature);
  }

 private:
  const Identity& identity_;
  std::vector<std::string> fingerprints_;
};

}  // namespace sotto
