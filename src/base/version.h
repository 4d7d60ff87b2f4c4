#pragma once

#include <string>

namespace sotto {

// "0.2.0", as CMakeLists.txt says.
[[nodiscard]] std::string sotto_version();

}  // namespace sotto
