#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "network/driver.h"

// What a party tells while it takes part (network/driver.h) as lines of JSON between processes:
// `sotto join --progress json`.
namespace sotto {

// {"time": "2026-01-31T09:00:00Z", "event": "phase", "phase": "meeting", "waiting_for": ["south"],
//  …, "text": "waiting for south"} without an end of line.
[[nodiscard]] std::string to_json_line(const JoinEvent& event, std::int64_t time);

// Reads it back. None if it is no such line: a library's, say, or one that a crash cut short. An
// event that is not known, of a later version, is a note; a field of another kind is left away.
[[nodiscard]] std::optional<JoinEvent> join_event_from(std::string_view line);

// {"name", "what", "where", "fix", "status"}
[[nodiscard]] nlohmann::ordered_json to_json(const Error& error);

}  // namespace sotto
