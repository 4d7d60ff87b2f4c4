// libmicrohttpd, a thread for each connection: an event stream waits, and a plan computes, without
// keeping anybody else.
#include "view/http/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/unexpected.h"
#include "run/join/join_event.h"

namespace sotto::view {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenWatches{500};
constexpr std::size_t kBlockBytes = 16 << 10;  // of a stream

// Nothing is loaded from elsewhere, nothing inline runs, nobody frames the page, and its address,
// which has the token in it, goes nowhere.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
};

// One request on its way through the library.
struct Pending {
  std::optional<Denial> denial;
  Request request;
};

// A stream's piece that did not fit into the library's buffer.
struct Stream {
  std::function<std::optional<std::string>()> next;
  std::string rest;
  std::atomic<unsigned>* streams;
  const std::atomic<bool>* stopping;
};

MHD_Result add_pair(void* to, MHD_ValueKind, const char* key, const char* value) {
  static_cast<std::vector<std::pair<std::string, std::string>>*>(to)->emplace_back(
      key, value == nullptr ? "" : value);
  return MHD_YES;
}

std::vector<std::pair<std::string, std::string>> pairs_of(MHD_Connection* connection,
                                                          MHD_ValueKind kind) {
  std::vector<std::pair<std::string, std::string>> pairs;
  MHD_get_connection_values(connection, kind, &add_pair, &pairs);
  return pairs;
}

std::optional<Denial> too_large(const Asked& asked, std::size_t most) {
  for (const auto& [name, value] : asked.headers) {
    if (::strcasecmp(name.c_str(), MHD_HTTP_HEADER_CONTENT_LENGTH) != 0) continue;
    std::size_t bytes = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), bytes);
    if (fault != std::errc{} || end != value.data() + value.size() || bytes > most) {
      return Denial{413, fmt::format("a request has at most {} bytes", most)};
    }
  }
  return std::nullopt;
}

class HttpServer final : public Server {
 public:
  HttpServer(Answer answer, const ServerLimits& limits)
      : answer_(std::move(answer)), limits_(limits) {}

  ~HttpServer() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (watch_.joinable()) watch_.join();
    if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  }

  [[nodiscard]] Result<void> start(std::uint16_t port, std::string token) {
    sockaddr_in loopback{};
    loopback.sin_family = AF_INET;
    loopback.sin_port = htons(port);
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    daemon_ = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, port,
        nullptr, nullptr, &HttpServer::handle, this,                                    //
        MHD_OPTION_EXTERNAL_LOGGER, &HttpServer::say_nothing, nullptr,                  //
        MHD_OPTION_SOCK_ADDR, &loopback,                                                //
        MHD_OPTION_CONNECTION_LIMIT, limits_.connections,                               //
        MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(limits_.silence.count()),  //
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, 2 * limits_.header_bytes,                   //
        MHD_OPTION_STRICT_FOR_CLIENT, 1,                                                //
        MHD_OPTION_NOTIFY_COMPLETED, &HttpServer::completed, nullptr,                   //
        MHD_OPTION_NOTIFY_CONNECTION, &HttpServer::opened_or_closed, this, MHD_OPTION_END);
    if (daemon_ == nullptr) {
      return failed("E-view-port", fmt::format("127.0.0.1:{} cannot be listened at", port),
                    "another --port, or none: then any that is free is taken");
    }
    const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT);
    check(info != nullptr, "a daemon knows its port");
    port_ = info->port;
    const std::lock_guard lock(mutex_);
    guard_.emplace(fmt::format("127.0.0.1:{}", port_), std::move(token));
    watch_ = std::thread([this] { watch(); });
    return {};
  }

  [[nodiscard]] std::uint16_t port() const override { return port_; }
  [[nodiscard]] std::string address() const override { return guard_->address(); }

 private:
  static void say_nothing(void*, const char*, va_list) {}

  // What the answer throws must not go through the library, which is C: the one request failed, and
  // the pages beside it go on.
  static MHD_Result handle(void* self, MHD_Connection* connection, const char* path,
                           const char* method, const char* version, const char* upload,
                           std::size_t* upload_bytes, void** state) {
    try {
      return handle_or_throw(self, connection, path, method, version, upload, upload_bytes, state);
    } catch (const std::exception& thrown) {
      return static_cast<HttpServer*>(self)->reply(
          connection, {.status = 500, .body = json_line({{"error", to_json(unexpected(thrown))}})});
    }
  }

  // Called when the headers are there, then for each piece of the body, and once more at its end.
  static MHD_Result handle_or_throw(void* self, MHD_Connection* connection, const char* path,
                                    const char* method, const char*, const char* upload,
                                    std::size_t* upload_bytes, void** state) {
    auto& server = *static_cast<HttpServer*>(self);
    auto* pending = static_cast<Pending*>(*state);
    if (pending == nullptr) {
      pending = new Pending(server.first_look(connection, path, method));
      *state = pending;
      // Not a byte of a body that nobody wants.
      if (pending->denial) return server.deny(connection, *pending->denial);
      return MHD_YES;
    }
    if (*upload_bytes > 0) {
      pending->request.body.append(upload, *upload_bytes);
      *upload_bytes = 0;
      return pending->request.body.size() > server.limits_.body_bytes ? MHD_NO : MHD_YES;
    }
    return server.reply(connection, server.answer_(pending->request));
  }

  [[nodiscard]] Pending first_look(MHD_Connection* connection, const char* path,
                                   const char* method) {
    const Asked asked{
        .method = method, .path = path, .headers = pairs_of(connection, MHD_HEADER_KIND)};
    Pending pending;
    {
      const std::lock_guard lock(mutex_);
      pending.denial = guard_ ? guard_->denies(asked) : Denial{503, "not yet"};
    }
    if (!pending.denial) pending.denial = too_large(asked, limits_.body_bytes);
    if (pending.denial) return pending;
    pending.request.path = Guard::inside(asked.path);
    pending.request.changes = asked.method == "POST";
    for (auto& [key, value] : pairs_of(connection, MHD_GET_ARGUMENT_KIND)) {
      pending.request.query.insert_or_assign(key, std::move(value));
    }
    return pending;
  }

  MHD_Result deny(MHD_Connection* connection, const Denial& denial) {
    return reply(
        connection,
        {.status = denial.status, .type = "text/plain; charset=utf-8", .body = denial.why + "\n"});
  }

  MHD_Result reply(MHD_Connection* connection, Response response) {
    if (response.stream && streams_.fetch_add(1) >= limits_.streams) {
      --streams_;
      response = {.status = 503, .type = "text/plain; charset=utf-8", .body = "too many pages\n"};
    }
    MHD_Response* made =
        response.stream ? stream_of(connection, std::move(response.stream))
                        : MHD_create_response_from_buffer(
                              response.body.size(), response.body.data(), MHD_RESPMEM_MUST_COPY);
    if (made == nullptr) return MHD_NO;
    MHD_add_response_header(made, "Content-Type", response.type.c_str());
    for (const auto& [name, value] : kHeaders) MHD_add_response_header(made, name, value);
    const MHD_Result queued = MHD_queue_response(connection, response.status, made);
    MHD_destroy_response(made);
    return queued;
  }

  // A stream that throws is over; the page opens another.
  static std::optional<std::string> next_of(const Stream& stream) {
    try {
      return stream.next();
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  MHD_Response* stream_of(MHD_Connection* connection,
                          std::function<std::optional<std::string>()> next) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
    {
      const std::lock_guard lock(mutex_);
      deadlines_.erase(socket_of(connection));
    }
    auto* stream = new Stream{std::move(next), {}, &streams_, &stopping_};
    return MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, kBlockBytes,
        [](void* of, std::uint64_t, char* to, std::size_t most) -> ssize_t {
          auto& source = *static_cast<Stream*>(of);
          while (source.rest.empty()) {
            if (source.stopping->load()) return MHD_CONTENT_READER_END_OF_STREAM;
            auto piece = next_of(source);
            if (!piece) return MHD_CONTENT_READER_END_OF_STREAM;
            source.rest = std::move(*piece);
          }
          const std::size_t size = std::min(most, source.rest.size());
          std::memcpy(to, source.rest.data(), size);
          source.rest.erase(0, size);
          return static_cast<ssize_t>(size);
        },
        stream,
        [](void* of) {
          auto* done = static_cast<Stream*>(of);
          --*done->streams;
          delete done;
        });
  }

  static void completed(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    delete static_cast<Pending*>(*state);
    *state = nullptr;
  }

  static int socket_of(MHD_Connection* connection) {
    const MHD_ConnectionInfo* info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == nullptr ? -1 : info->connect_fd;
  }

  static void opened_or_closed(void* self, MHD_Connection* connection, void**,
                               MHD_ConnectionNotificationCode what) {
    auto& server = *static_cast<HttpServer*>(self);
    const std::lock_guard lock(server.mutex_);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
      server.deadlines_[socket_of(connection)] = steady_clock::now() + server.limits_.whole_time;
    } else {
      server.deadlines_.erase(socket_of(connection));
    }
  }

  // The library counts silence. A byte now and then would keep a connection for ever: whoever is
  // over time is hung up on.
  void watch() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wake_.wait_for(lock, kBetweenWatches);
      for (const auto& [socket, deadline] : deadlines_) {
        if (steady_clock::now() > deadline) ::shutdown(socket, SHUT_RDWR);
      }
    }
  }

  Answer answer_;
  ServerLimits limits_;
  std::uint16_t port_ = 0;
  MHD_Daemon* daemon_ = nullptr;
  std::mutex mutex_;  // what follows
  std::condition_variable wake_;
  std::optional<Guard> guard_;
  std::map<int, steady_clock::time_point> deadlines_;  // by socket
  std::atomic<bool> stopping_ = false;
  std::atomic<unsigned> streams_ = 0;
  std::thread watch_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(std::uint16_t port, std::string token, Answer answer,
                                              const ServerLimits& limits) {
  auto server = std::make_unique<HttpServer>(std::move(answer), limits);
  SOTTO_TRY(server->start(port, std::move(token)));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace sotto::view
