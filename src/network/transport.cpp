// gRPC's channels and their settings; who is connected is TransportCore's to know, and the server
// is Door's.

#include "network/transport.h"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>
#include <openssl/crypto.h>

#include <set>
#include <thread>

#include "base/digest.h"
#include "network/door.h"
#include "network/transport_stream.h"

namespace sotto {
namespace {

using namespace network;

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kConnectTimeout{10};

int as_int(milliseconds time) {
  return static_cast<int>(time.count());
}

// gRPC's threads let go of channels after the last transport is gone. Who leaves the process in the
// meantime takes OpenSSL away from under them, and may end with a signal after all was done: so the
// process waits for them, before what was set up earlier is taken down.
class LastWords {
 public:
  static void await_at_exit() {
    OPENSSL_init_crypto(0, nullptr);  // its own exit is registered before this one, and comes after
    static const LastWords last_words;
  }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  LastWords() = default;
  ~LastWords() {
    const auto end = std::chrono::steady_clock::now() + kAtMost;
    while (grpc_is_initialized() != 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    // Takes over a shutdown that another thread has begun.
    grpc_init();
    grpc_shutdown_blocking();
  }
  static constexpr seconds kAtMost{2};
};

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(const Identity& identity, const std::vector<Peer>& peers,
                const TransportLimits& limits, const Greeting& greeting)
      : limits_(limits),
        core_(std::make_shared<TransportCore>(peers, limits, greeting, identity.fingerprint())) {
    LastWords::await_at_exit();
    for (const Peer& peer : peers) {
      if (!peer.dial) continue;
      Pins pins{
          .allowed =
              [pin = peer.fingerprint, other = peer.other_fingerprint](const std::string& shown) {
                return shown == pin || (!other.empty() && shown == other);
              },
          .seen = [core = core_,
                   id = peer.id](const Sighting& sighting) { core->saw_dialled(id, sighting); }};
      credentials_[peer.id] = dial_credentials(identity, std::move(pins));
    }
  }

  ~GrpcTransport() override {
    core_->close();
    if (dialler_.joinable()) {
      dialler_.request_stop();
      dialler_.join();
    }
    if (door_) door_->remove(core_.get());
  }

  [[nodiscard]] Result<void> listen(std::shared_ptr<Door> door) {
    SOTTO_TRY(door->add(core_));
    door_ = std::move(door);
    return {};
  }
  void start_dialling() {
    if (credentials_.empty()) return;
    dialler_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        for (const Peer& peer : core_->wait_for_dials(kLookAround)) dial(peer);
      }
    });
  }

  void send(PartyId to, std::string frame) override { core_->send(to, std::move(frame)); }
  void hang_up(PartyId peer) override { core_->hang_up(peer); }
  std::optional<TransportEvent> wait(milliseconds at_most) override { return core_->wait(at_most); }
  [[nodiscard]] Bytes bytes() const override { return core_->bytes(); }
  [[nodiscard]] std::uint16_t port() const override { return door_ ? door_->port() : 0; }

 private:
  static constexpr milliseconds kLookAround{500};

  void dial(const Peer& peer);

  const TransportLimits limits_;
  const std::shared_ptr<TransportCore> core_;
  std::map<PartyId, std::shared_ptr<grpc::ChannelCredentials>> credentials_;
  std::shared_ptr<Door> door_;
  std::jthread dialler_;
};

// A channel of its own for each attempt: the pauses between them are ours to choose,
// and nothing of a failed attempt is left in the next.
void GrpcTransport::dial(const Peer& peer) {
  grpc::ChannelArguments arguments;
  for (const auto& [name, value] : common_settings(limits_)) arguments.SetInt(name, value);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, as_int(kConnectTimeout));
  arguments.SetSslTargetNameOverride(kServerName);
  const auto channel = grpc::CreateCustomChannel(fmt::format("dns:///{}", peer.address),
                                                 credentials_.at(peer.id), arguments);
  const auto stream =
      std::make_shared<DialledStream>(peer.id, core_, limits_.queued_bytes, channel);
  if (core_->attach(stream, false)) stream->start(core_->study());
}

Result<void> check_peers(const std::vector<Peer>& peers, const std::string& own_fingerprint,
                         bool listening) {
  std::set<PartyId> ids;
  std::set<std::string> pins{own_fingerprint};
  for (const Peer& peer : peers) {
    if (!is_fingerprint(peer.fingerprint)) {
      return bad_input("E-network-peer",
                       fmt::format("\"{}\" is no fingerprint of {}", peer.fingerprint, peer.name),
                       "sha256: and 64 digits 0-9a-f, as 'sotto keys show' prints them");
    }
    const bool other_taken =
        !peer.other_fingerprint.empty() && !pins.insert(peer.other_fingerprint).second;
    if (!ids.insert(peer.id).second || !pins.insert(peer.fingerprint).second || other_taken) {
      return bad_input("E-network-peer",
                       fmt::format("{} has the certificate of another party", peer.name),
                       "an identity for each party: 'sotto keys new'");
    }
    const auto place = parse_address(peer.address);
    if (peer.dial && (!place || place->port == 0)) {
      return bad_input(
          "E-network-peer",
          fmt::format("\"{}\" is no address at which {} can be dialled", peer.address, peer.name),
          "north.example:7101, 10.0.0.5:7101 or [2001:db8::5]:7101");
    }
    if (!peer.dial && !listening) {
      return bad_input("E-network-peer",
                       fmt::format("{} is to dial us, and we do not listen", peer.name),
                       "listen somewhere, or dial it: one end of each edge needs an address");
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Transport>> Transport::open(const Identity& identity,
                                                   const std::string& listen,
                                                   const std::vector<Peer>& peers,
                                                   const TransportLimits& limits,
                                                   const Greeting& greeting) {
  SOTTO_TRY(check_peers(peers, identity.fingerprint(), !listen.empty()));
  auto transport = std::make_unique<GrpcTransport>(identity, peers, limits, greeting);
  if (!listen.empty()) {
    SOTTO_ASSIGN(auto door, Door::open(identity, listen, limits));
    SOTTO_TRY(transport->listen(std::move(door)));
  }
  transport->start_dialling();
  return transport;
}

Result<std::unique_ptr<Transport>> Transport::open(const Identity& identity, const SharedPort& port,
                                                   const std::vector<Peer>& peers,
                                                   const TransportLimits& limits,
                                                   const Greeting& greeting) {
  SOTTO_TRY(check_peers(peers, identity.fingerprint(), true));
  auto transport = std::make_unique<GrpcTransport>(identity, peers, limits, greeting);
  SOTTO_TRY(transport->listen(port.door()));
  transport->start_dialling();
  return transport;
}

Result<SharedPort> SharedPort::open(const Identity& identity, const std::string& listen) {
  SOTTO_ASSIGN(auto door, Door::open(identity, listen, TransportLimits{}));
  return SharedPort(std::move(door));
}

void SharedPort::expect(const std::string& study,
                        const std::vector<std::string>& fingerprints) const {
  door_->expect(study, fingerprints);
}

std::uint16_t SharedPort::port() const {
  return door_->port();
}

}  // namespace sotto
