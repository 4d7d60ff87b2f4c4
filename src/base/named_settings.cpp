// Keys that others describe, and what holds without them.
#include "base/named_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sotto {

NamedSettings with_fallbacks(std::span<const NamedKey> keys, NamedSettings settings) {
  for (const NamedKey& key : keys) {
    if (key.choices.empty()) {
      settings.numbers.try_emplace(key.name, key.fallback);
    } else {
      settings.words.try_emplace(key.name, key.choices.front());
    }
  }
  return settings;
}

Result<void> check_keys(const char* error, std::string_view whose, std::span<const NamedKey> keys) {
  std::set<std::string_view> names;
  for (const NamedKey& key : keys) {
    const bool number = std::isfinite(key.least) && std::isfinite(key.most) &&
                        key.least <= key.fallback && key.fallback <= key.most;
    if (!key.name.empty() && !key.about.empty() && names.insert(key.name).second &&
        (number || !key.choices.empty())) {
      continue;
    }
    return bad_input(error, fmt::format("the key \"{}\" of {} cannot be read", key.name, whose),
                     "a name once, a sentence about it, and a fallback in its range, or choices");
  }
  return {};
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace sotto
