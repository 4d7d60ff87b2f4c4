// host:port as people write it, and whether one can listen there.

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "network/transport.h"

namespace sotto {

std::optional<HostAndPort> parse_address(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon + 1 == address.size()) return std::nullopt;
  HostAndPort parsed{.host = address.substr(0, colon)};
  const char* begin = address.data() + colon + 1;
  const char* end = address.data() + address.size();
  const auto [stop, fault] = std::from_chars(begin, end, parsed.port);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  const bool brackets =
      parsed.host.size() > 2 && parsed.host[0] == '[' && parsed.host.back() == ']';
  if (brackets) parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  const auto fits = [&](unsigned char c) {
    if (brackets) return std::isxdigit(c) != 0 || c == ':' || c == '.';
    return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
  };
  if (parsed.host.empty() || !std::ranges::all_of(parsed.host, fits)) return std::nullopt;
  return parsed;
}

std::string listen_problem(const HostAndPort& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found);
      error != 0) {
    return ::gai_strerror(error);
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, &::freeaddrinfo);
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const int number = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (number < 0) continue;
    const int yes = 1;
    // As gRPC does: connections that have just ended do not keep the port.
    ::setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    const bool fine =
        ::bind(number, one->ai_addr, one->ai_addrlen) == 0 && ::listen(number, 1) == 0;
    const int error = errno;
    ::close(number);
    if (!fine) return std::strerror(error);
  }
  return {};
}

}  // namespace sotto
