#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "network/tls.h"
#include "network/transport.h"

// What a person is told about connections. Words of peers and libraries come in
// here and leave as ours: nothing that a stranger chose reaches a terminal unfiltered.
namespace sotto::network {

// What an end says to a peer that it hung up on a moment ago.
inline constexpr const char* kComeBackLater = "come back later";

// Why a call that we dialled did not come about. `seen` is what the other end showed
// in this attempt's handshake, if it came to that.
struct DialFailure {
  std::string text;
  bool lasting = false;   // waiting does not mend it
  bool mistaken = false;  // one of the two is not whom the other's study names
};
[[nodiscard]] DialFailure dial_failure(const Peer& peer, const grpc::Status& status,
                                       const Sighting& seen, const std::string& own_fingerprint);

// Why a connection that was there is gone.
[[nodiscard]] std::string lost_connection(const Peer& peer, const grpc::Status& status);

// About somebody whom the study does not name.
[[nodiscard]] std::string stranger(const Sighting& seen);

}  // namespace sotto::network
