// Signatures that anybody could forge and nobody does.
#include "session/simulated_signer.h"

#include <fmt/format.h>

namespace sotto {
namespace {

// FNV-1a.
std::uint64_t hash_of(std::string_view certificate, std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto take = [&](std::string_view bytes) {
    for (const char byte : bytes) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
  };
  take(certificate);
  take(text);
  return hash;
}

std::string signature_of(std::string_view certificate, std::string_view text) {
  const std::uint64_t hash = hash_of(certificate, text);
  std::string bytes(8, '\0');
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(hash >> (8 * k));
  return bytes;
}

std::string certificate_of(PartyId party) {
  return fmt::format("the certificate of party {}", party + 1);
}

}  // namespace

RunKey simulated_key(RandomSource& random) {
  KeyedRandom::Key key{};
  random.fill(key);
  return *RunKey::restore({reinterpret_cast<const char*>(key.data()), key.size()});
}

std::string SimulatedSigner::certificate() const {
  return certificate_of(self_);
}

std::string SimulatedSigner::sign(std::string_view text) const {
  return signature_of(certificate(), text);
}

bool SimulatedSigner::pinned(PartyId party, std::string_view certificate) const {
  return certificate == certificate_of(party);
}

bool SimulatedSigner::verify(std::string_view certificate, std::string_view text,
                             std::string_view signature) const {
  return signature == signature_of(certificate, text);
}

}  // namespace sotto
