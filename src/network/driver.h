#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "network/transport.h"
#include "session/session.h"

namespace sotto {

// Where a commit stands when a hook looks: tests end the process at each of them.
enum class CommitPoint { kBefore, kAfter, kSent };

// What a party tells while it takes part: `text` for a person, the rest for a program. The driver
// tells what happens between this party and others, kConnected to kBytes; run/join.h the rest.
struct JoinEvent {
  enum class Kind {
    kBegun,      // it listens, or dials
    kResumed,    // an unfinished run goes on
    kPhase,      // the run has come a phase further
    kWaiting,    // the same phase; other parties are waited for
    kConnected,  // to a neighbour
    kLost,       // the connection, not yet the party
    kTrouble,    // a connection that does not come about, a stranger at the door
    kRefused,    // a message of a neighbour's that could not be taken
    kNote,       // what the run itself has to say: somebody is lost, or speaks ill
    kBytes,      // of frames, in all; when nobody needs this party any more
    kFinished,   // the result is kept
    kFailed,     // the last one, like kFinished
  };
  Kind kind = Kind::kNote;
  std::string text = {};
  SessionProgress progress = {};        // kPhase, kWaiting
  std::string peer = {};                // kConnected to kRefused; empty: a stranger
  Transport::Bytes bytes = {};          // kBytes
  std::string run = {};                 // kResumed, kFinished
  std::vector<std::string> files = {};  // kFinished: model.json first
  Error error = {};                     // kFailed; kRefused: its name
};

// What the driver tells, and asks, while a run goes on.
struct DriverHooks {
  std::function<void(const JoinEvent&)> on_event = {};
  std::function<void(const Session&)> on_progress = {};  // after everything that changed it
  std::function<bool()> abort_wanted = {};               // gives the run up, for all
  // What a neighbour showed of itself; an error ends this party's part, if it has promised nothing
  // yet and no neighbour shows the same study within some seconds.
  std::function<std::optional<Error>(PartyId, const PeerCard&)> on_card = {};
  // Nothing has come for a while. Whether there is more to do: then it is asked again at once.
  std::function<bool(const Session&)> on_idle = {};
  std::function<bool()> interrupted = {};              // leaves; the run can be resumed
  std::function<void(CommitPoint)> at_commit = {};     // only where something is committed
  std::function<void(const Outgoing&)> on_frame = {};  // a frame that is about to leave
};

// Milliseconds since the clock was made, never going back.
class SteadyClock {
 public:
  [[nodiscard]] Time now() const {
    return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now() - begin_);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Runs a session over a transport until nobody needs this party any more. Errors: the journal
// cannot be written (E-store-…), or E-interrupted; and, as long as nothing was promised to anybody,
// what no waiting mends: what on_card says, E-mistaken if no neighbour takes this party for what
// the study says, and E-outrun if a neighbour knows a later start of it, with the number in
// `reason`. How the run ended is the session's to say.
[[nodiscard]] Result<void> drive(Session& session, Transport& transport,
                                 const std::vector<std::string>& names, const SteadyClock& clock,
                                 const DriverHooks& hooks);

}  // namespace sotto
