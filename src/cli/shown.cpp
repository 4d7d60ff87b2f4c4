#include "cli/shown.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace sotto {

std::int64_t unix_seconds() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

std::string utc_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string harmless(const std::string& text) {
  std::string shown;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    shown += code < 0x20 || code == 0x7f ? '?' : letter;
  }
  return shown;
}

std::string short_run(const std::string& run) {
  return harmless(run).substr(0, 12);
}

}  // namespace sotto
