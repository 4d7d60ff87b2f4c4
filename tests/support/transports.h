#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "network/transport.h"
#include "network/x509.h"

// Parties on loopback, and ends that speak TLS without gRPC.
namespace sotto {

using Kind = TransportEvent::Kind;

inline Identity identity_of(const std::string& name) {
  auto identity = Identity::make(name, {"127.0.0.1"});
  EXPECT_TRUE(identity);
  return std::move(*identity);
}

inline Peer peer_of(PartyId id, const Identity& identity, std::uint16_t dial_port = 0) {
  return {.id = id,
          .name = identity.name(),
          .address = dial_port == 0 ? "" : fmt::format("127.0.0.1:{}", dial_port),
          .fingerprint = identity.fingerprint(),
          .dial = dial_port != 0};
}

inline std::unique_ptr<Transport> open_transport(const Identity& identity,
                                                 const std::string& listen,
                                                 const std::vector<Peer>& peers,
                                                 const TransportLimits& limits = {}) {
  auto transport = Transport::open(identity, listen, peers, limits);
  EXPECT_TRUE(transport) << transport.error().to_string();
  return transport ? std::move(*transport) : nullptr;
}

inline constexpr std::chrono::seconds kLongEnough{20};

// The first event that fits; the others are put into `passed`, if it is given.
inline std::optional<TransportEvent> wait_until(
    Transport& transport, const std::function<bool(const TransportEvent&)>& fits,
    std::vector<TransportEvent>* passed = nullptr,
    std::chrono::milliseconds at_most = kLongEnough) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < end) {
    auto event = transport.wait(std::chrono::milliseconds(50));
    if (!event) continue;
    if (fits(*event)) return event;
    if (passed != nullptr) passed->push_back(std::move(*event));
  }
  return std::nullopt;
}

inline std::optional<TransportEvent> wait_for(Transport& transport, Kind kind,
                                              std::vector<TransportEvent>* passed = nullptr) {
  return wait_until(
      transport, [&](const TransportEvent& event) { return event.kind == kind; }, passed);
}

inline std::string frame_of(Transport& transport) {
  const auto event = wait_for(transport, Kind::kFrame);
  return event ? event->frame : "no frame came";
}

// Shows a certificate and lacks its key: the public half is the certificate's, the
// secret half another's.
inline std::string forged_key_pem(const Identity& victim, const Identity& thief) {
  std::array<unsigned char, 32> open{};
  std::array<unsigned char, 32> secret{};
  std::size_t size = 32;
  const auto certificate = network::certificate_from_pem(victim.certificate_pem());
  EVP_PKEY_get_raw_public_key(X509_get0_pubkey(certificate.get()), open.data(), &size);
  EVP_PKEY_get_raw_private_key(network::key_from_pem(thief.key_pem()).get(), secret.data(), &size);
  return std::string(open.begin(), open.end()) + std::string(secret.begin(), secret.end());
}

// One end of a TLS connection made by hand.
struct RawTls {
  using Context = std::unique_ptr<SSL_CTX, network::Free<SSL_CTX_free>>;
  using Session = std::unique_ptr<SSL, network::Free<SSL_free>>;

  explicit RawTls(bool server, int version = TLS1_3_VERSION)
      : context(SSL_CTX_new(server ? TLS_server_method() : TLS_client_method())) {
    // OpenSSL writes to sockets that the other end has closed.
    std::signal(SIGPIPE, SIG_IGN);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    // All of TLS 1.2's ciphers, so that it is not for our lack of one.
    SSL_CTX_set_cipher_list(context.get(), "ALL:@SECLEVEL=0");
    static constexpr std::array<unsigned char, 3> kHttp2{2, 'h', '2'};
    SSL_CTX_set_alpn_protos(context.get(), kHttp2.data(), kHttp2.size());
    SSL_CTX_set_alpn_select_cb(
        context.get(),
        [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char*, unsigned,
           void*) {
          *out = kHttp2.data() + 1;
          *size = 2;
          return SSL_TLSEXT_ERR_OK;
        },
        nullptr);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  }

  void show(const Identity& identity) { show(identity, network::key_from_pem(identity.key_pem())); }
  // The certificate of `victim`, signed for with the key of `thief`.
  void show_without_key(const Identity& victim, const Identity& thief) {
    std::string halves = forged_key_pem(victim, thief);
    std::array<OSSL_PARAM, 3> parts{
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, halves.data(), 32),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, halves.data() + 32, 32),
        OSSL_PARAM_construct_end()};
    EVP_PKEY* key = nullptr;
    EVP_PKEY_CTX* making = EVP_PKEY_CTX_new_from_name(nullptr, "ED25519", nullptr);
    EVP_PKEY_fromdata_init(making);
    EXPECT_EQ(EVP_PKEY_fromdata(making, &key, EVP_PKEY_KEYPAIR, parts.data()), 1);
    EVP_PKEY_CTX_free(making);
    show(victim, network::Key(key));
  }

  // As a client: connects, and returns what the server says first; empty if it hangs up.
  [[nodiscard]] std::string first_words(std::uint16_t port) const {
    const int socket = connect_to(port);
    const Session session(SSL_new(context.get()));
    SSL_set_fd(session.get(), socket);
    std::string words(64, '\0');
    int size = 0;
    if (SSL_connect(session.get()) == 1) {
      size = SSL_read(session.get(), words.data(), static_cast<int>(words.size()));
    }
    ::close(socket);
    words.resize(static_cast<std::size_t>(std::max(size, 0)));
    return words;
  }

  // As a server: takes one connection and returns what the client says first.
  [[nodiscard]] std::string first_words_at(int listener) const {
    const int socket = ::accept(listener, nullptr, nullptr);
    set_timeouts(socket);
    const Session session(SSL_new(context.get()));
    SSL_set_fd(session.get(), socket);
    std::string words(64, '\0');
    int size = 0;
    if (SSL_accept(session.get()) == 1) {
      size = SSL_read(session.get(), words.data(), static_cast<int>(words.size()));
    }
    ::close(socket);
    words.resize(static_cast<std::size_t>(std::max(size, 0)));
    return words;
  }

  static void set_timeouts(int socket) {
    const timeval time{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
  }
  static int connect_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_timeouts(socket);
    const sockaddr_in place = loopback(port);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof(place)), 0);
    return socket;
  }
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return place;
  }

  Context context;

 private:
  void show(const Identity& identity, const network::Key& key) {
    const auto certificate = network::certificate_from_pem(identity.certificate_pem());
    EXPECT_EQ(SSL_CTX_use_certificate(context.get(), certificate.get()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context.get(), key.get()), 1);
  }
};

// A port of loopback that somebody else listens on, or nobody does.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = RawTls::loopback(0);
    socklen_t size = sizeof(place);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&place), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&place), &size), 0);
    port_ = ntohs(place.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { ::close(socket_); }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

// A wire between a dialling party and a port, which can be cut without either noticing:
// the sockets stay open, and nothing passes any more.
class Wire {
 public:
  explicit Wire(std::uint16_t to)
      : to_(to), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) carry();
          for (const auto& [from, other] : ends_) ::close(from);
        }) {}
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  void cut() { cut_ = true; }

 private:
  void carry() {
    std::vector<pollfd> polls{{.fd = listener_.socket(), .events = POLLIN, .revents = 0}};
    for (const auto& [from, other] : ends_) polls.push_back({from, POLLIN, 0});
    ::poll(polls.data(), polls.size(), 10);
    if (cut_) return;
    for (const pollfd& ready : polls) {
      if (ready.revents == 0) continue;
      if (ready.fd == listener_.socket()) {
        const int near = ::accept(listener_.socket(), nullptr, nullptr);
        const int far = RawTls::connect_to(to_);
        ends_[near] = far;
        ends_[far] = near;
        continue;
      }
      std::array<char, 65536> bytes{};
      const ssize_t size = ::recv(ready.fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size > 0)
        ::send(ends_[ready.fd], bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
      if (size == 0) ::shutdown(ends_[ready.fd], SHUT_WR);
    }
  }
  const std::uint16_t to_;
  Listener listener_;
  std::map<int, int> ends_;
  std::atomic<bool> cut_ = false;
  std::jthread thread_;
};

inline std::uint16_t unused_port() {
  return Listener().port();
}

}  // namespace sotto
