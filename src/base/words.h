#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// A number with its noun: "1 row", "2 rows", "0 rows".
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view one,
                                         std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace sotto
