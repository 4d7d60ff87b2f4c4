#pragma once

#include <cstdint>
#include <string>

namespace sotto {

// What verbs about runs have in common when they speak to people.

// The system's clock, and its times as 2026-01-31T09:00:00Z.
[[nodiscard]] std::int64_t unix_seconds();
[[nodiscard]] std::string utc_text(std::int64_t seconds);

// Names come from studies that others wrote: a terminal must not obey them.
[[nodiscard]] std::string harmless(const std::string& text);

// The first twelve digits: what people call a run by.
[[nodiscard]] std::string short_run(const std::string& run);

}  // namespace sotto
