#include "view/http/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "support/raw_http.h"

namespace sotto::view {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kServerToken(64, 'c');

class ViewServer : public testing::Test {
 protected:
  void start(const ServerLimits& limits = {}) {
    auto server = Server::start(
        0, kServerToken,
        [this](const Request& request) -> Response {
          ++answered_;
          if (request.path == "throws") throw std::out_of_range("no such thing");
          if (request.path == "throwing-stream") {
            return {.type = "text/event-stream", .stream = [k = 0]() mutable {
                      if (++k > 1) throw std::out_of_range("no such thing");
                      return std::optional<std::string>("data: 1\n\n");
                    }};
          }
          if (request.path == "events") {
            return {.type = "text/event-stream", .stream = [k = 0]() mutable {
                      return ++k <= 3 ? std::optional(fmt::format("data: {}\n\n", k))
                                      : std::nullopt;
                    }};
          }
          return {.body = fmt::format("[{}][{}]", request.path, request.body)};
        },
        limits);
    ASSERT_TRUE(server.has_value()) << server.error().to_string();
    server_ = std::move(*server);
  }

  std::string ask(const std::string& head, const std::string& body = "") {
    return raw_http::ask(server_->port(), head + "\r\n" + body);
  }
  std::string host() const { return fmt::format("Host: 127.0.0.1:{}\r\n", server_->port()); }
  std::string get(const std::string& path) {
    return ask(fmt::format("GET {} HTTP/1.1\r\n{}", path, host()));
  }
  std::string post_head(const std::string& more) {
    return fmt::format(
        "POST /{}/save HTTP/1.1\r\n{}Origin: http://127.0.0.1:{}\r\nContent-Type: "
        "application/json\r\n{}",
        kServerToken, host(), server_->port(), more);
  }

  std::unique_ptr<Server> server_;
  std::atomic<int> answered_ = 0;
};

TEST_F(ViewServer, AnswersWhoHasItsAddress) {
  start();
  EXPECT_THAT(server_->address(), StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(get("/" + kServerToken + "/plan?epsilon=1"), HasSubstr("[plan][]"));
  EXPECT_THAT(ask(post_head("Content-Length: 2\r\n"), "{}"), HasSubstr("[save][{}]"));
  EXPECT_THAT(get("/" + kServerToken + "/events"), HasSubstr("data: 1\n\n"));
}

TEST_F(ViewServer, SaysThatAnAnswerFailedAndAnswersTheNext) {
  start();
  const std::string answer = get("/" + kServerToken + "/throws");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, HasSubstr("E-unexpected"));
  EXPECT_THAT(answer, HasSubstr("no such thing"));
  EXPECT_THAT(get("/" + kServerToken + "/throwing-stream"), HasSubstr("data: 1\n\n"));
  EXPECT_THAT(get("/" + kServerToken + "/plan"), HasSubstr("[plan][]"));
}

TEST_F(ViewServer, SendsWhatKeepsAPageToItself) {
  start();
  const std::string answer = get("/" + kServerToken + "/");
  EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self'; "
                                "style-src 'self'; connect-src 'self';"));
  EXPECT_THAT(answer, Not(HasSubstr("unsafe")));
  EXPECT_THAT(answer, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(answer, HasSubstr("Referrer-Policy: no-referrer"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(answer, HasSubstr("Cross-Origin-Resource-Policy: same-origin"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store"));
  EXPECT_THAT(answer, Not(HasSubstr("Access-Control-Allow")));
}

TEST_F(ViewServer, RefusesAWrongTokenADnsRebindingHostAndAnotherOrigin) {
  start();
  EXPECT_THAT(get("/" + std::string(64, 'd') + "/plan"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask(fmt::format("GET /{}/ HTTP/1.1\r\nHost: evil.example:{}\r\n", kServerToken,
                              server_->port())),
              StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(ask(fmt::format("GET /{}/ HTTP/1.1\r\n{}Origin: http://evil.example\r\n",
                              kServerToken, host())),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask(fmt::format("GET /{}/ HTTP/1.1\r\n{}Sec-Fetch-Site: cross-site\r\n", kServerToken,
                              host())),
              StartsWith("HTTP/1.1 403"));
  EXPECT_EQ(answered_, 0);
}

TEST_F(ViewServer, IsThereForThisMachineAlone) {
  start();
  // 127.0.0.2 is this machine too, and not where it listens.
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in other{};
  other.sin_family = AF_INET;
  other.sin_port = htons(server_->port());
  other.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  EXPECT_NE(::connect(socket, reinterpret_cast<const sockaddr*>(&other), sizeof other), 0);
  ::close(socket);
}

TEST_F(ViewServer, RefusesOversizedRequests) {
  start({.header_bytes = 4096, .body_bytes = 1000});
  EXPECT_THAT(ask(post_head("Content-Length: 1001\r\n")), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask(post_head("Content-Length: 99999999999999999999\r\n")),
              Not(StartsWith("HTTP/1.1 200")));
  const std::string chunk = "400\r\n" + std::string(0x400, 'x') + "\r\n";
  EXPECT_THAT(ask(post_head("Transfer-Encoding: chunked\r\n"), chunk + chunk + "0\r\n\r\n"),
              Not(HasSubstr("200 OK")));
  EXPECT_THAT(ask(fmt::format("GET /{}/ HTTP/1.1\r\n{}X: {}\r\n", kServerToken, host(),
                              std::string(20'000, 'x'))),
              Not(HasSubstr("200 OK")));
  EXPECT_THAT(get("/" + kServerToken + "/" + std::string(20'000, 'x')), Not(HasSubstr("200 OK")));
  EXPECT_EQ(answered_, 0);
  EXPECT_THAT(get("/" + kServerToken + "/plan"), HasSubstr("[plan][]")) << "and goes on";
}

TEST_F(ViewServer, HangsUpOnWhoeverFallsSilentOrNeverEnds) {
  start({.silence = std::chrono::seconds(1), .whole_time = std::chrono::seconds(2)});
  {
    raw_http::Connection silent(server_->port());
    ASSERT_TRUE(silent.open());
    silent.send("GET / HT");
    EXPECT_THAT(silent.read(), Not(HasSubstr("200 OK")));  // returns: it was hung up on
  }
  raw_http::Connection drop_by_drop(server_->port());
  ASSERT_TRUE(drop_by_drop.open());
  bool open = drop_by_drop.send("GET /");
  for (int k = 0; k < 600 && open; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    open = drop_by_drop.send("x");
  }
  EXPECT_FALSE(open);
  EXPECT_EQ(answered_, 0);
}

TEST_F(ViewServer, HasSoManyConnectionsAndNoMore) {
  start({.connections = 4});
  std::vector<std::unique_ptr<raw_http::Connection>> held;
  for (int k = 0; k < 4; ++k) {
    held.push_back(std::make_unique<raw_http::Connection>(server_->port()));
    held.back()->send("GET /");
  }
  EXPECT_THAT(get("/" + kServerToken + "/plan"), Not(HasSubstr("200 OK")));
  held.clear();
  std::string answer;
  for (int k = 0; k < 100 && answer.find("200 OK") == std::string::npos; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    answer = get("/" + kServerToken + "/plan");
  }
  EXPECT_THAT(answer, HasSubstr("200 OK"));
}

TEST_F(ViewServer, SaysWhatPortCannotBeHad) {
  start();
  const auto second =
      Server::start(server_->port(), kServerToken, [](const Request&) { return Response{}; });
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().name, "E-view-port");
}

TEST_F(ViewServer, SurvivesNonsense) {
  start();
  for (const std::string& nonsense :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(5000, '\0'),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("\xff\xfe\x00\x01", 4) + "\r\n\r\n",
        "GET /" + kServerToken + "/%00%ff%zz?%00=%ff&=&&a HTTP/1.1\r\n" + host() + "\r\n",
        "POST /" + kServerToken + "/save HTTP/1.1\r\n" + host() + "Content-Length: -5\r\n\r\n"}) {
    raw_http::Connection connection(server_->port());
    connection.send(nonsense);
  }
  EXPECT_THAT(get("/" + kServerToken + "/plan"), HasSubstr("[plan][]"));
}

}  // namespace
}  // namespace sotto::view
