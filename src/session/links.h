#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "session/terms.h"

// Numbered bodies over connections that break: what makes them arrive once and in order.
namespace sotto {

struct Outgoing {
  PartyId to = 0;
  std::string frame;
};

// Why a frame was refused. It has changed nothing.
struct Refusal : Error {
  // The peer has heard more of us than we have said: most likely it is right, and we are not whom
  // it knows. It must hear our greeting to say so, and hang up itself.
  bool knows_us_better = false;
  // E-outrun: the start of ours that the peer knows, and that is later than this one.
  std::uint64_t later_start = 0;
};
template <class T>
using Received = tl::expected<T, Refusal>;

namespace session {

// Bodies arrive at each neighbour once and in order, over connections that lose,
// repeat and reorder frames and break at any instant, and across crashes of
// either end. Numbers from 1; an acknowledgement means "in my journal".
class Links {
 public:
  Links(std::string study_hash, std::string nonce, std::uint64_t start,
        std::span<const PartyId> neighbours, Time resend = kResendFrames);

  void connected(PartyId peer, Time now);
  void disconnected(PartyId peer);

  // Queues a body; it goes out with the next collect().
  void post(PartyId to, std::string body);

  // A neighbour's later start.
  struct Start {
    std::string nonce;
    std::uint64_t number = 0;
  };
  // Whether a frame is the word of a later start than the one that is known. Then renew() comes
  // before receive(), or receive() refuses it.
  [[nodiscard]] std::optional<Start> later_start(PartyId from, std::string_view bytes) const;
  // Whether a start can follow the one that is known, if one is.
  [[nodiscard]] bool is_later(PartyId from, const Start& start) const;
  // Which start of the neighbour's the numbers are about. Precondition: one was heard.
  [[nodiscard]] Start start_of(PartyId peer) const;
  // The same, from the journal.
  void know(PartyId from, const Start& start);
  // Forgets what was said to the neighbour and heard from it: it remembers nothing of it.
  void renew(PartyId from, const Start& start);

  // What is new in a frame: the body, or nothing (a greeting, a repetition, a gap).
  [[nodiscard]] Received<std::optional<std::string>> receive(PartyId from, std::string_view bytes,
                                                             Time now);
  // Counts a body as received: it is going into the journal, or comes from there.
  void accept(PartyId from, std::string_view body) { accept_digest(from, digest_of(body)); }
  void accept_digest(PartyId from, std::string digest);
  // By which a body is known again.
  [[nodiscard]] static std::string digest_of(std::string_view body);

  // Sends again what has gone unanswered for long.
  void tick(Time now);
  // Everything that may go out now. Only after the journal's commit: it acknowledges. With
  // `at_once` every frame is acknowledged now; otherwise an acknowledgement waits a moment for a
  // body that can carry it.
  [[nodiscard]] std::vector<Outgoing> collect(Time now, bool at_once = true);

  // Whether all that was posted has arrived.
  [[nodiscard]] bool delivered(PartyId peer) const;

 private:
  struct Link {
    bool connected = false;
    bool heard = false;  // in this connection: we know what the peer has
    bool owes_greeting = false;
    std::optional<Time> owes_receipt;  // since when a body has gone unacknowledged
    std::optional<std::string> nonce;  // of the peer's run
    std::uint64_t start = 0;           // and which start of the peer's it is
    std::deque<std::string> unacknowledged;
    std::uint64_t acknowledged = 0;  // by the peer
    std::uint64_t sent = 0;          // in this connection, by number
    std::uint64_t posted = 0;
    std::vector<std::string> received;  // digests of what the peer sent, by number
    Time last_sent{};
    Time resend_after{};
  };

  [[nodiscard]] std::string frame_of(const Link& link, std::uint64_t number,
                                     const std::string& body) const;
  void acknowledge(Link& link, std::uint64_t have);

  std::string study_hash_;
  std::string nonce_;
  std::uint64_t start_;
  Time resend_;
  std::map<PartyId, Link> links_;
};

}  // namespace session
}  // namespace sotto
