#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

// A client that sends exactly what it is told, as no browser would.
namespace sotto::raw_http {

class Connection {
 public:
  explicit Connection(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(socket_); }

  [[nodiscard]] bool open() const { return open_; }
  // False once the other end has hung up.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Everything until the other end hangs up, or so many bytes.
  std::string read(std::size_t most = std::size_t{64} << 20) {
    std::string text;
    std::array<char, 65536> block{};
    while (text.size() < most) {
      const ssize_t got = ::recv(socket_, block.data(), std::min(block.size(), most), 0);
      if (got <= 0) break;
      text.append(block.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int socket_;
  bool open_ = false;
};

inline std::string ask(std::uint16_t port, std::string_view request) {
  Connection connection(port);
  if (!connection.open()) return "(not open)";
  connection.send(request);
  return connection.read();
}

}  // namespace sotto::raw_http
