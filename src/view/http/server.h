#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "view/http/guard.h"

// A small web server for one person: at 127.0.0.1 alone, one request per connection, everything
// bounded. libmicrohttpd does the protocol; only server.cpp knows it.
namespace sotto::view {

struct Request {
  std::string path;  // without the token: "plan"
  std::map<std::string, std::string> query;
  std::string body;
  bool changes = false;  // POST
};

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  // In place of the body: the pieces of a stream, as long as there are some. Called again at once;
  // waits itself, for a second or so, and may return nothing new.
  std::function<std::optional<std::string>()> stream = {};
};

using Answer = std::function<Response(const Request&)>;

// What a request may cost. Beyond: refused, or the connection is closed.
struct ServerLimits {
  unsigned connections = 48;  // at a time
  unsigned streams = 16;      // of them
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 64 << 10;
  std::chrono::seconds silence{5};      // without a byte
  std::chrono::seconds whole_time{20};  // for a request with its answer
};

class Server {
 public:
  // Port 0 takes any that is free. `answer` is called from several threads. failed[E-view-port].
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(std::uint16_t port, std::string token,
                                                             Answer answer,
                                                             const ServerLimits& limits = {});
  Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Ends every connection; streams end with their next piece.
  virtual ~Server() = default;

  [[nodiscard]] virtual std::uint16_t port() const = 0;
  [[nodiscard]] virtual std::string address() const = 0;
};

}  // namespace sotto::view
