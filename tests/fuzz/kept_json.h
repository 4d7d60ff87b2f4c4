#pragma once

// Files that sotto keeps end with a digest of all the rest, so bytes that are changed at random end
// at its check. Here the digest is put right first: what is behind it must not stumble either.

#include <optional>

#include "base/json.h"
#include "fuzz/fuzz.h"
#include "run/kept_json.h"

namespace sotto::fuzz {

// The text as JSON with a digest that fits; none where it is no object.
inline std::optional<Json> with_good_digest(std::string_view text) {
  Json json = parse_json(text);
  if (json.is_discarded() || !json.is_object()) return std::nullopt;
  return with_digest(std::move(json));
}

}  // namespace sotto::fuzz
