#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/transport.h"
#include "session/session.h"

// What a party tells while it takes part, and the same as lines of JSON between processes
// (`sotto join --progress json`).
namespace sotto {

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
  std::string text = {};                // for a person
  SessionProgress progress = {};        // kPhase, kWaiting
  std::string peer = {};                // kConnected to kRefused; empty: a stranger
  Transport::Bytes bytes = {};          // kBytes
  std::string run = {};                 // kResumed, kFinished
  std::vector<std::string> files = {};  // kFinished: model.json first
  Error error = {};                     // kFailed; kRefused: its name
};

// {"time": "2026-01-31T09:00:00Z", "event": "phase", "phase": "meeting", "waiting_for": ["south"],
//  …, "text": "waiting for south"} without an end of line.
[[nodiscard]] std::string to_json_line(const JoinEvent& event, std::int64_t time);

// Reads it back. None if it is no such line: a library's, say, or one that a crash cut short. An
// event that is not known, of a later version, is a note; a field of another kind is left away.
[[nodiscard]] std::optional<JoinEvent> join_event_from(std::string_view line);

// {"name", "what", "where", "fix", "status"}
[[nodiscard]] nlohmann::ordered_json to_json(const Error& error);

}  // namespace sotto
