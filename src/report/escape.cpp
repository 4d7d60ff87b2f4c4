#include "report/escape.h"

#include <cstddef>

namespace sotto {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";

// The characters of XML 1.0, production [2].
bool allowed_in_xml(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c <= 0xD7FF || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

}  // namespace

CodePoint code_point(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(position);
  if (first < 0x80) return {first, position + 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  const CodePoint broken{kReplacement, position + 1};
  if (first < 0xC2 || first > 0xF4 || position + length > text.size()) return broken;

  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = position + 1; i < position + length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return broken;
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const char32_t smallest = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  if (value < smallest || !allowed_in_xml(value)) return broken;
  return {value, position + length};
}

std::string escape(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = code_point(text, i);
    switch (c.value) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        const bool kept = allowed_in_xml(c.value) && c.value != kReplacement;
        safe += kept ? text.substr(i, c.next - i) : kReplacementBytes;
    }
    i = c.next;
  }
  return safe;
}

}  // namespace sotto
