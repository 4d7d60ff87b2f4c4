#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "network/identity.h"

// How a party talks to its neighbours: addresses, connections, frames.
namespace sotto {

// The largest frame that is taken from a peer, and the most that waits to be sent to one.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxQueuedBytes = std::size_t{512} << 20;

// A neighbour, as the study names it.
struct Peer {
  PartyId id = 0;
  std::string name;
  std::string address;                 // host:port where it listens; empty: it only dials out
  std::string fingerprint;             // sha256:… of its certificate
  std::string other_fingerprint = {};  // of its next or its former one; usually none
  bool dial = false;                   // whether we dial it; the other end of the edge listens
};

struct HostAndPort {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};

// north.example:7101, 10.0.0.5:7101 or [2001:db8::5]:7101, and nothing else: gRPC
// would take schemes too ("unix:…"), and a study must not reach for them.
[[nodiscard]] std::optional<HostAndPort> parse_address(const std::string& address);

// Why a socket cannot listen there, in the system's words; empty if it can.
[[nodiscard]] std::string listen_problem(const HostAndPort& address);

// What this end shows of itself when a stream opens.
struct Greeting {
  std::string study = {};        // its hash, 32 bytes; empty: nothing is shown, and nothing asked
  std::string study_lines = {};  // for a neighbour whose study differs
  std::uint32_t protocol = 0;
  bool looking = false;  // takes no part
};
inline constexpr std::size_t kMaxStudyLinesBytes = std::size_t{48} << 10;

// What a neighbour showed of itself.
struct PeerCard {
  std::uint32_t protocol = 0;
  bool same_study = false;
  bool looking = false;
  std::chrono::milliseconds waiting{};      // it, so far
  std::chrono::milliseconds own_waiting{};  // and we
  // An answer to ours: its study's lines if they differ, and its clock less ours, ± uncertainty.
  bool answer = false;
  std::string study_lines = {};
  std::chrono::milliseconds clock_ahead{};
  std::chrono::milliseconds uncertainty{};
};

struct TransportEvent {
  enum class Kind {
    kConnected,     // frames can go both ways from now on
    kDisconnected,  // what was under way is lost; `text` says why, for a person
    kFrame,
    kCard,
    kTrouble,  // nothing changed, but a person should know: `text` ("north does not answer at …")
  };
  Kind kind = Kind::kTrouble;
  std::optional<PartyId> peer;  // none: somebody who could not say who they are
  std::string frame = {};
  std::string text = {};
  bool lasting = false;   // kTrouble: waiting does not mend it, somebody has to change something
  bool mistaken = false;  // kTrouble: one of the two is not whom the other's study names
  PeerCard card = {};     // kCard
};

// What a transport allows. Tests make it smaller.
struct TransportLimits {
  std::size_t frame_bytes = kMaxFrameBytes;
  std::size_t queued_bytes = kMaxQueuedBytes;  // at least a frame
  // A peer that has been silent for so long is asked whether it is there, and has so
  // long to answer: a power cut is noticed after the sum, at both ends.
  std::chrono::milliseconds silence{5'000};
  std::chrono::milliseconds patience{10'000};
};

namespace network {
class Door;
}
// A port that several studies of one party share. Peers say which one they mean. Of a study that is
// expected (its hash, and the fingerprints of who takes part) they are told to come back while it
// is not there.
class SharedPort {
 public:
  [[nodiscard]] static Result<SharedPort> open(const Identity& identity, const std::string& listen);
  void expect(const std::string& study, const std::vector<std::string>& fingerprints) const;
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const std::shared_ptr<network::Door>& door() const { return door_; }

 private:
  explicit SharedPort(std::shared_ptr<network::Door> door) : door_(std::move(door)) {}
  std::shared_ptr<network::Door> door_;
};

// Frames between a party and its neighbours over gRPC with mutual TLS 1.3. Each
// end knows the other by the fingerprint of its certificate; there is no
// authority, and nobody without a pinned certificate gets past the handshake.
// While a connection lasts, frames arrive once and in order; it may break at any
// instant, and is dialled again until the transport is closed. Resending is the
// session's business.
//
// Frames that nobody takes with wait() fill one frame's worth of memory per peer;
// then the peer has to wait, and at its end what is queued for us grows.
class Transport {
 public:
  // `listen` is host:port, or empty for a party that only dials out; port 0 takes any
  // that is free. E-listen if the port is taken or not allowed, E-network-peer if a peer
  // cannot be told by its fingerprint or cannot be reached.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> open(const Identity& identity,
                                                               const std::string& listen,
                                                               const std::vector<Peer>& peers,
                                                               const TransportLimits& limits = {},
                                                               const Greeting& greeting = {});
  // The same at a port that others use too.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> open(const Identity& identity,
                                                               const SharedPort& port,
                                                               const std::vector<Peer>& peers,
                                                               const TransportLimits& limits,
                                                               const Greeting& greeting);
  // What was sent to connected peers still goes out, for two seconds at most.
  virtual ~Transport() = default;

  // Does not wait. A frame for a peer that is not connected is dropped; so is one
  // larger than the limit, with a kTrouble event. More than the limit waiting for one
  // peer: it is hung up on.
  virtual void send(PartyId to, std::string frame) = 0;
  // Drops the connection to a peer that misbehaves, and what it sent and nobody has
  // taken yet; it may dial again after a pause.
  virtual void hang_up(PartyId peer) = 0;
  // The next event, or none when the time is over.
  [[nodiscard]] virtual std::optional<TransportEvent> wait(std::chrono::milliseconds at_most) = 0;
  // Bytes of frames sent and received so far, for the run's record.
  struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  [[nodiscard]] virtual Bytes bytes() const = 0;
  // Where it listens; 0 if it only dials out.
  [[nodiscard]] virtual std::uint16_t port() const { return 0; }
};

}  // namespace sotto
