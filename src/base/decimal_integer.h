#pragma once

#include <optional>
#include <string>

#include "base/integer.h"

namespace sotto {

// An integer in the one way that sotto and databases write it: digits, without needless zeros, and
// a minus before them if it is below 0. None for anything else, "+5" and "-0" included. GMP itself
// reads over blanks inside a number, and no further than a NUL.
[[nodiscard]] inline std::optional<Integer> integer_from_decimal(const std::string& text) {
  Integer value;
  if (value.set_str(text, 10) != 0 || value.get_str() != text) return std::nullopt;
  return value;
}

}  // namespace sotto
