// Sentences about connections. gRPC tells reasons in prose only, so its prose is read here, and
// nothing but a sentence depends on it.

#include "network/transport_messages.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace sotto::network {
namespace {

constexpr std::size_t kMaxQuotedBytes = 200;

// Printable ASCII; everything else becomes '?'.
std::string quotable(std::string text) {
  if (text.size() > kMaxQuotedBytes) text.resize(kMaxQuotedBytes);
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return text;
}

// gRPC tells in prose what the system said; these are the usual reasons.
struct Reason {
  std::string_view word;
  std::string_view text;
  bool lasting = false;
};
constexpr std::array<Reason, 10> kReasons{{
    {"Connection refused", "connection refused"},
    {"No route to host", "no route to host"},
    {"Network is unreachable", "the network is unreachable"},
    {"Permission denied", "the system does not permit it"},
    {"DNS resolution failed", "the name is not known", true},
    {"Domain name not found", "the name is not known", true},
    {"Connection timed out", "no answer in time"},
    {"Timeout occurred", "no answer in time"},
    {"connection attempt timed out", "no answer in time"},
    {"FD Shutdown", "no answer in time"},
}};

const Reason* reason_in(const grpc::Status& status) {
  const std::string text = status.error_message();
  for (const Reason& reason : kReasons) {
    if (text.find(reason.word) != std::string::npos) return &reason;
  }
  return nullptr;
}

bool handshake_failed(const grpc::Status& status) {
  const std::string text = status.error_message();
  return text.find("andshake") != std::string::npos || text.find("SSL") != std::string::npos;
}

}  // namespace

DialFailure dial_failure(const Peer& peer, const grpc::Status& status, const Sighting& seen,
                         const std::string& own_fingerprint) {
  const auto no_answer = [&](std::string_view reason, bool lasting = false) {
    return DialFailure{
        fmt::format("{} does not answer at {} ({})", peer.name, peer.address, reason), lasting};
  };
  if (!seen.fingerprint.empty() && !seen.pinned) {
    return {fmt::format(
                "whoever answers at {} is not {}: its certificate is {}, and the study names {}",
                peer.address, peer.name, seen.fingerprint, peer.fingerprint),
            true, true};
  }
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return no_answer("no answer in time");
  }
  if (const Reason* reason = reason_in(status)) return no_answer(reason->text, reason->lasting);
  if (seen.pinned && status.error_code() == grpc::StatusCode::UNAVAILABLE &&
      status.error_message() != kComeBackLater) {
    return {fmt::format("{} hangs up when it sees our certificate; does its study name {}?",
                        peer.name, own_fingerprint),
            true, true};
  }
  if (seen.pinned) {
    return {
        fmt::format("{} does not take our call: {}", peer.name, quotable(status.error_message()))};
  }
  if (handshake_failed(status)) {
    return {fmt::format("what answers at {} is not {}: it does not speak sotto's TLS 1.3",
                        peer.address, peer.name),
            true};
  }
  return no_answer(quotable(status.error_message()));
}

std::string lost_connection(const Peer& peer, const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return fmt::format("{} has left", peer.name);
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return fmt::format("{} and we do not agree how large a frame may be: {}", peer.name,
                         quotable(status.error_message()));
    case grpc::StatusCode::ABORTED:
      return fmt::format("{} hung up: {}", peer.name, quotable(status.error_message()));
    default:
      return fmt::format("the connection to {} broke", peer.name);
  }
}

std::string stranger(const Sighting& seen) {
  if (seen.fingerprint.empty()) return "somebody came without a certificate that can be read";
  return fmt::format(
      "somebody who says to be \"{}\" came with a certificate that the study does not name: {}",
      quotable(seen.name), seen.fingerprint);
}

}  // namespace sotto::network
