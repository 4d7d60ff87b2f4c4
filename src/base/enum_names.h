#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace sotto {

// What the values of an enum are called, in their order from 0: for files, scripts and people.
template <class Enum, std::size_t kValues>
struct EnumNames {
  std::array<std::string_view, kValues> names;

  [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
    return names.at(static_cast<std::size_t>(value));
  }
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
  }
};

}  // namespace sotto
