#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <functional>
#include <memory>
#include <string>

#include "network/identity.h"

// Mutual TLS as gRPC can be made to speak it: fingerprints, and nothing else.
namespace sotto::network {

// What a certificate in a handshake turned out to be.
struct Sighting {
  bool pinned = false;      // the handshake goes on
  std::string fingerprint;  // empty if it was no certificate
  std::string name;         // what its holder claims to be called
};

// Which fingerprints are let in, and who is told about each certificate that came.
// Both are called from gRPC's threads, in the middle of a handshake.
struct Pins {
  std::function<bool(const std::string& fingerprint)> allowed;
  std::function<void(const Sighting&)> seen;
};

// TLS 1.3 with the party's own certificate. Pinning is all there is: no authority, no
// host names, no dates. That the other end holds the key of the certificate it shows
// is what the handshake itself proves.
//
// Why no TLS 1.2: gRPC 1.51 has no option for it. But every key here is Ed25519 (other
// certificates are refused, pinned or not), and gRPC is told to speak 1.2 only with RSA
// certificates. The list of 1.3's ciphers is another one.
[[nodiscard]] std::shared_ptr<grpc::ServerCredentials> server_credentials(const Identity& identity,
                                                                          Pins pins);
[[nodiscard]] std::shared_ptr<grpc::ChannelCredentials> dial_credentials(const Identity& identity,
                                                                         Pins pins);

// The name for TLS and HTTP/2 that every end gives to every other: the name of the
// host would tell an eavesdropper more, and an IP address is not allowed there.
inline constexpr const char* kServerName = "sotto";

}  // namespace sotto::network
