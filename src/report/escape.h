#pragma once

#include <string>
#include <string_view>

namespace sotto {

// `text` as it may stand in an element or a quoted attribute of XML and of HTML.
// What XML cannot hold at all (control characters, broken UTF-8) becomes U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

// The code point that starts at `position`, and the position after it. Broken
// UTF-8 gives U+FFFD and moves on by one byte.
struct CodePoint {
  char32_t value = 0;
  std::size_t next = 0;
};
[[nodiscard]] CodePoint code_point(std::string_view text, std::size_t position);

}  // namespace sotto
