#include <algorithm>

#include "report/escape.h"
#include "report/svg.h"

namespace sotto {
namespace {

// Widths in em, in groups; DejaVu Sans is about the widest face that system-ui stands for.
double em_width(char32_t c) {
  if (c < 0x80) {
    const char a = static_cast<char>(c);
    const auto in = [a](std::string_view group) { return group.find(a) != group.npos; };
    if (in("ijlI|'")) return 0.30;
    if (in(" .,:;!")) return 0.35;
    if (in("frt()[]/\\-J\"`")) return 0.42;
    if (in("mMW%@")) return 0.98;
    if (in("w+=<>~#&")) return 0.84;
    if (a >= 'A' && a <= 'Z') return 0.75;
    return 0.64;
  }
  if (c >= 0x300 && c <= 0x36F) return 0;                   // combining marks
  if (c == 0xB2 || c == 0xB3 || c == 0xB9) return 0.41;     // ² ³ ¹
  if (c >= 0x2070 && c <= 0x209F) return 0.53;              // other super- and subscripts
  if (c >= 0x2E80) return c >= 0x1F000 ? 1.4 : 1.05;        // East Asian, emoji
  if (c == 0xD7 || c == 0xB1 || c >= 0x2190) return 0.88;   // × ±, arrows, operators
  if (c == 0x2014 || c == 0x2026 || c == 0x2030) return 1;  // — … ‰
  return 0.68;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = code_point(text, i);
    width += em_width(c.value);
    i = c.next;
  }
  return width * size * (bold ? 1.12 : 1);
}

std::string shorten(std::string_view text, double width, double size, bool bold) {
  if (text_width(text, size, bold) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    i = code_point(text, i).next;
    if (text_width(std::string(text.substr(0, i)) + "…", size, bold) > width) break;
    end = i;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> wrap_text(std::string_view text, double width, double size, bool bold) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    if (!lines.empty() && text_width(lines.back() + " " + word, size, bold) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(shorten(word, width, size, bold));
    }
  }
  return lines;
}

}  // namespace sotto
