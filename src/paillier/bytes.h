#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/integer.h"

namespace sotto {

// A number in [0, 256^width) as exactly `width` bytes, the highest first.
[[nodiscard]] std::string to_bytes(const Integer& number, std::size_t width);
[[nodiscard]] Integer from_bytes(std::string_view bytes);

}  // namespace sotto
