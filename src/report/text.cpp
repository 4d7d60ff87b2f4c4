#include "report/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <sstream>

// Every text of a page or drawing passes through here before a browser sees it.
namespace sotto::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The characters of XML 1.0, production [2].
bool allowed_in_xml(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c <= 0xD7FF || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

// How many bytes the character at the start of `text` has; 0 if XML cannot hold it.
std::size_t valid_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return allowed_in_xml(first) ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > text.size()) return 0;
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const char32_t smallest = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  return value >= smallest && allowed_in_xml(value) ? length : 0;
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// About how wide the character is that begins with this byte.
double ems_of(char c) {
  constexpr std::string_view kNarrow = " .,:;!'|()[]fijlrtI";
  if (continues_character(c)) return 0;
  const bool east_asian = static_cast<unsigned char>(c) >= 0xE3;
  const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '%' || c == '=';
  return kNarrow.find(c) != kNarrow.npos ? 0.38 : east_asian ? 1.1 : wide ? 0.8 : 0.63;
}

}  // namespace

std::string escape(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"'";
  static constexpr const char* kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t special = kSpecial.find(text[0]);
    const std::size_t bytes = valid_bytes(text);
    safe += special != kSpecial.npos ? kEntities[special]
            : bytes > 0              ? text.substr(0, bytes)
                                     : kReplacement;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return safe;
}

std::string superscript(int number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::format("{}", number)) text += c == '-' ? "⁻" : kDigits[c - '0'];
  return text;
}

std::string with_minus_sign(const std::string& digits) {
  return digits.starts_with('-') ? "−" + digits.substr(1) : digits;
}

std::string scientific(const std::string& mantissa, int exponent) {
  const std::string power = "10" + superscript(exponent);
  return mantissa == "1" ? power : with_minus_sign(mantissa) + "×" + power;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 9999.5) return with_minus_sign(fmt::format("{:.4g}", value));
  if (size < 1e6 && value == std::round(value)) return with_minus_sign(fmt::format("{}", value));
  // {:.3e} and not a logarithm: only it knows whether 9.9996 rounds to ten.
  const std::string text = fmt::format("{:.3e}", value);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  mantissa.erase(mantissa.find_last_not_of('0') + 1);
  if (mantissa.ends_with('.')) mantissa.pop_back();
  return scientific(mantissa, std::stoi(text.substr(e + 1)));
}

std::string value_text(double value, double spread) {
  constexpr int kMostDecimals = 6;
  if (!std::isfinite(value) || !(spread > 0) || !std::isfinite(spread)) return number_text(value);
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(spread))));
  if (decimals > kMostDecimals || std::abs(value) >= 1e6) return number_text(value);
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : with_minus_sign(text);
}

std::string count_text(std::uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string percent_at_most(double probability) {
  return fmt::format("{:.1f}\u00A0%", std::min(std::ceil(probability * 1000 - 1e-9) / 10, 100.0));
}

std::string odds_text(double probability) {
  if (!(probability > 0)) return "never";
  if (probability >= 1) return "always";
  const double one_in = 1 / probability;
  // Towards the larger risk: 1 in 3.7 is more often than 1 in 4.
  constexpr double kRounding = 1 + 1e-12;
  if (one_in < 10) return fmt::format("1 in {:.3g}", std::floor(one_in * 10 * kRounding) / 10);
  if (one_in < 1e15) {
    return fmt::format("1 in {}", count_text(static_cast<std::uint64_t>(one_in * kRounding)));
  }
  return fmt::format("1 in {}", number_text(one_in));
}

std::string equals(std::string_view letter, double value) {
  return fmt::format("{}\u00A0=\u00A0{}", letter, number_text(value));
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string join(std::string text, std::string_view more) {
  if (!text.empty() && !more.empty()) text += ' ';
  return text.append(more);
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) ems += ems_of(c);
  return ems * size;
}

std::string shorten(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) return std::string(text);
  // The longest beginning of whole characters that leaves room for the dots.
  std::size_t kept = 0;
  double ems = 0;
  for (std::size_t at = 0; at < text.size() && ems * size + size <= width; ++at) {
    if (!continues_character(text[at])) kept = at;
    ems += ems_of(text[at]);
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::vector<std::string> wrap_text(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    word = shorten(word, width, size);
    if (!lines.empty() && text_width(lines.back() + " " + word, size) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace sotto::report
