// gRPC's server, and to whose transport a call goes.

#include "network/door.h"

#include <fmt/format.h>
#include <grpc/compression.h>

#include "base/digest.h"
#include "network/transport_messages.h"
#include "network/transport_stream.h"

namespace sotto::network {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kHandshakeTimeout{10};
constexpr seconds kIdleConnection{30};  // without a stream: there is nothing it could be for
constexpr seconds kShutdown{1};
// What a packet is larger than its frame; and so much too large that we can say so.
constexpr std::size_t kPacketOverheadBytes = std::size_t{64} << 10;

int as_int(milliseconds time) {
  return static_cast<int>(time.count());
}

// Ends a call before it has begun.
class RefusedCall final : public grpc::ServerBidiReactor<Packet, Packet> {
 public:
  explicit RefusedCall(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

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

grpc::ServerBidiReactor<Packet, Packet>* Door::Service::Open(grpc::CallbackServerContext* context) {
  // The handshake has let nobody through whose certificate is not pinned; this is where we learn
  // which of them it is.
  const auto shown = context->auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  const std::string fingerprint =
      shown.empty() ? "" : fingerprint_of_pem({shown[0].data(), shown[0].size()});
  const auto meant = context->client_metadata().find(kStudyMetadata);
  const std::string study = meant == context->client_metadata().end()
                                ? std::string()
                                : std::string(meant->second.data(), meant->second.size());
  const auto core = door_.core_for(study, fingerprint);
  if (!core) return new RefusedCall(grpc::Status(grpc::StatusCode::UNAVAILABLE, kComeBackLater));
  const auto admission = core->admit(fingerprint, study);
  if (!admission.refusal.ok()) return new RefusedCall(admission.refusal);
  const auto stream =
      std::make_shared<AcceptedStream>(admission.peer, core, door_.limits_.queued_bytes, context);
  if (!core->attach(stream, true)) return new RefusedCall(grpc::Status::CANCELLED);
  stream->start();
  return stream.get();
}

Result<std::shared_ptr<Door>> Door::open(const Identity& identity, const std::string& address,
                                         const TransportLimits& limits) {
  const auto cannot_listen = [&](const std::string& why) {
    return failed(
        "E-listen", fmt::format("cannot listen at {}: {}", address, why),
        "name a free port of this machine, as host:port; 0.0.0.0:7101 listens everywhere");
  };
  const auto place = parse_address(address);
  if (!place) return cannot_listen("that is not host:port");
  std::shared_ptr<Door> door(new Door(identity.fingerprint(), limits));
  // The server ends with the door, and nobody is asked after that.
  Door* self = door.get();
  Pins pins{.allowed = [self](const std::string& shown) { return self->knows(shown); },
            .seen =
                [self](const Sighting& sighting) {
                  if (!sighting.pinned) self->saw_stranger(sighting);
                }};
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort(address, server_credentials(identity, std::move(pins)), &bound);
  builder.RegisterService(&door->service_);
  for (const auto& [name, value] : common_settings(limits)) builder.AddChannelArgument(name, value);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, as_int(kIdleConnection));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, as_int(kHandshakeTimeout));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             as_int(limits.silence / 4));
  door->server_ = builder.BuildAndStart();
  if (!door->server_ || bound == 0) {
    const std::string why = listen_problem(*place);
    return cannot_listen(why.empty() ? "the system does not say why" : why);
  }
  door->port_ = static_cast<std::uint16_t>(bound);
  return door;
}

Door::~Door() {
  if (server_) server_->Shutdown(std::chrono::system_clock::now() + kShutdown);
}

Result<void> Door::add(const std::shared_ptr<TransportCore>& core) {
  const std::lock_guard lock(mutex_);
  if (cores_.emplace(core->study(), core).second) return {};
  return failed("E-listen", "this study takes part at this port already",
                "one process for each study, or another port");
}

void Door::remove(const TransportCore* core) {
  const std::lock_guard lock(mutex_);
  std::erase_if(cores_, [&](const auto& one) { return one.second.get() == core; });
}

void Door::expect(const std::string& study, const std::vector<std::string>& fingerprints) {
  const std::lock_guard lock(mutex_);
  expected_studies_.insert(study);
  expected_.insert(fingerprints.begin(), fingerprints.end());
}

std::shared_ptr<TransportCore> Door::core_for(const std::string& study,
                                              const std::string& fingerprint) {
  const std::lock_guard lock(mutex_);
  const auto meant = cores_.find(study);
  if (meant != cores_.end() && meant->second->knows(fingerprint)) return meant->second;
  if (meant == cores_.end() && expected_studies_.contains(study)) return nullptr;
  for (const auto& [hash, core] : cores_) {
    if (core->knows(fingerprint)) return core;
  }
  return nullptr;
}

bool Door::knows(const std::string& fingerprint) {
  const std::lock_guard lock(mutex_);
  if (expected_.contains(fingerprint)) return true;
  for (const auto& [hash, core] : cores_) {
    if (core->knows(fingerprint)) return true;
  }
  return false;
}

void Door::saw_stranger(const Sighting& seen) {
  const std::lock_guard lock(mutex_);
  for (const auto& [hash, core] : cores_) core->saw_stranger(seen);
}

}  // namespace sotto::network
