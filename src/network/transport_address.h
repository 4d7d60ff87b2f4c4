#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sotto {

struct HostAndPort {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};

// north.example:7101, 10.0.0.5:7101 or [2001:db8::5]:7101, and nothing else: gRPC
// would take schemes too ("unix:…"), and a study must not reach for them.
[[nodiscard]] std::optional<HostAndPort> parse_address(const std::string& address);

// Why a socket cannot listen there, in the system's words; empty if it can.
[[nodiscard]] std::string listen_problem(const HostAndPort& address);

}  // namespace sotto
