// gRPC's server, its channels and its settings; who is connected is TransportCore's to know.

#include "network/transport.h"

#include <fmt/format.h>
#include <grpc/compression.h>
#include <grpcpp/grpcpp.h>

#include <set>
#include <thread>

#include "base/digest.h"
#include "network/transport_stream.h"

namespace sotto {
namespace {

using namespace network;

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kConnectTimeout{10};
constexpr seconds kHandshakeTimeout{10};
constexpr seconds kIdleConnection{30};  // without a stream: there is nothing it could be for
constexpr seconds kShutdown{1};
// What a packet is larger than its frame; and so much too large that we can say so.
constexpr std::size_t kPacketOverheadBytes = std::size_t{64} << 10;

int as_int(milliseconds time) {
  return static_cast<int>(time.count());
}

// Settings that both ends have in common, by gRPC's names.
std::vector<std::pair<std::string, int>> common_settings(const TransportLimits& limits) {
  return {{GRPC_ARG_KEEPALIVE_TIME_MS, as_int(limits.silence)},
          {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, as_int(limits.patience)},
          {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
          {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
          {GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH,
           static_cast<int>(limits.frame_bytes + kPacketOverheadBytes)},
          {GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1},  // send() looks at the size itself
          // A small message that unpacks to a large one must not get in.
          {GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE}};
}

// Ends a call before it has begun.
class RefusedCall final : public grpc::ServerBidiReactor<Packet, Packet> {
 public:
  explicit RefusedCall(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

class LinkService final : public Link::CallbackService {
 public:
  LinkService(std::shared_ptr<TransportCore> core, std::size_t queue_limit_bytes)
      : core_(std::move(core)), queue_limit_bytes_(queue_limit_bytes) {}

  grpc::ServerBidiReactor<Packet, Packet>* Open(grpc::CallbackServerContext* context) override {
    // The handshake has let nobody through whose certificate is not pinned; this is
    // where we learn which of them it is.
    const auto shown =
        context->auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
    const std::string fingerprint =
        shown.empty() ? "" : fingerprint_of_pem({shown[0].data(), shown[0].size()});
    const auto admission = core_->admit(fingerprint);
    if (!admission.refusal.ok()) return new RefusedCall(admission.refusal);
    const auto stream =
        std::make_shared<AcceptedStream>(admission.peer, core_, queue_limit_bytes_, context);
    if (!core_->attach(stream, true)) return new RefusedCall(grpc::Status::CANCELLED);
    stream->start();
    return stream.get();
  }

 private:
  const std::shared_ptr<TransportCore> core_;
  const std::size_t queue_limit_bytes_;
};

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(const Identity& identity, const std::vector<Peer>& peers,
                const TransportLimits& limits)
      : limits_(limits),
        core_(std::make_shared<TransportCore>(peers, limits, identity.fingerprint())),
        service_(core_, limits.queued_bytes) {
    for (const Peer& peer : peers) {
      if (!peer.dial) continue;
      Pins pins{
          .allowed = [pin = peer.fingerprint](const std::string& shown) { return shown == pin; },
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
    if (server_) server_->Shutdown(std::chrono::system_clock::now() + kShutdown);
  }

  Result<void> listen(const Identity& identity, const std::string& address);
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
  [[nodiscard]] std::uint16_t port() const override { return port_; }

 private:
  static constexpr milliseconds kLookAround{500};

  void dial(const Peer& peer);

  const TransportLimits limits_;
  const std::shared_ptr<TransportCore> core_;
  LinkService service_;
  std::map<PartyId, std::shared_ptr<grpc::ChannelCredentials>> credentials_;
  std::unique_ptr<grpc::Server> server_;
  std::uint16_t port_ = 0;
  std::jthread dialler_;
};

Result<void> GrpcTransport::listen(const Identity& identity, const std::string& address) {
  const auto cannot_listen = [&](const std::string& why) {
    return failed(
        "E-listen", fmt::format("cannot listen at {}: {}", address, why),
        "name a free port of this machine, as host:port; 0.0.0.0:7101 listens everywhere");
  };
  const auto place = parse_address(address);
  if (!place) return cannot_listen("that is not host:port");
  Pins pins{.allowed = [core = core_](const std::string& shown) { return core->knows(shown); },
            .seen =
                [core = core_](const Sighting& sighting) {
                  if (!sighting.pinned) core->saw_stranger(sighting);
                }};
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort(address, server_credentials(identity, std::move(pins)), &bound);
  builder.RegisterService(&service_);
  for (const auto& [name, value] : common_settings(limits_))
    builder.AddChannelArgument(name, value);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, as_int(kIdleConnection));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, as_int(kHandshakeTimeout));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             as_int(limits_.silence / 4));
  server_ = builder.BuildAndStart();
  if (!server_ || bound == 0) {
    const std::string why = listen_problem(*place);
    return cannot_listen(why.empty() ? "the system does not say why" : why);
  }
  port_ = static_cast<std::uint16_t>(bound);
  return {};
}

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
  if (core_->attach(stream, false)) stream->start();
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
    if (!ids.insert(peer.id).second || !pins.insert(peer.fingerprint).second) {
      return bad_input("E-network-peer", fmt::format("{} has the certificate of another party", peer.name),
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
      return bad_input("E-network-peer", fmt::format("{} is to dial us, and we do not listen", peer.name),
                       "listen somewhere, or dial it: one end of each edge needs an address");
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Transport>> Transport::open(const Identity& identity,
                                                   const std::string& listen,
                                                   const std::vector<Peer>& peers,
                                                   const TransportLimits& limits) {
  SOTTO_TRY(check_peers(peers, identity.fingerprint(), !listen.empty()));
  auto transport = std::make_unique<GrpcTransport>(identity, peers, limits);
  if (!listen.empty()) {
    SOTTO_TRY(transport->listen(identity, listen));
  }
  transport->start_dialling();
  return transport;
}

}  // namespace sotto
