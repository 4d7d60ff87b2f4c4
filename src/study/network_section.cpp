#include <fmt/format.h>

#include "study/sections.h"

namespace sotto {
namespace {

// A month: longer than anybody waits, short enough for a clock in milliseconds.
constexpr double kMaxSeconds = 31.0 * 86'400;

double read_seconds(TomlReader& section, std::string_view key, double fallback) {
  const double seconds = section.optional_number(key).value_or(fallback);
  if (!(seconds >= 1 && seconds <= kMaxSeconds)) {
    section.fail_value(key, fmt::format("{} = {} is not a time to wait", key, seconds),
                       fmt::format("give seconds, from 1 to {:.0f}", kMaxSeconds));
  }
  return seconds;
}

}  // namespace

Result<NetworkTerms> read_network_section(TomlReader& section, std::size_t parties) {
  NetworkTerms terms;
  // More than half: otherwise two halves that lose each other would both go on, and everybody's
  // value would be released twice over.
  const auto all = static_cast<std::int64_t>(parties);
  const auto least = section.optional_integer("min_parties", all / 2 + 1, all);
  if (least) {
    terms.min_parties = static_cast<std::size_t>(*least);
    terms.attempts = parties - terms.min_parties + 1;
  }
  terms.meeting_seconds = read_seconds(section, "meeting_seconds", terms.meeting_seconds);
  terms.patience_seconds = read_seconds(section, "patience_seconds", terms.patience_seconds);
  if (auto fine = section.finish(); !fine) return tl::unexpected(fine.error());
  return terms;
}

}  // namespace sotto
