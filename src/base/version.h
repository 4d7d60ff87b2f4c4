#pragma once

#include <string_view>

namespace sotto {

// "0.2.0", as CMakeLists.txt says.
[[nodiscard]] std::string_view sotto_version();

}  // namespace sotto
