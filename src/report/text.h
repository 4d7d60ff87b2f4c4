#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Text as a page needs it: safe inside markup, numbers with the digits that mean something, and an
// estimate of how much room it takes.
namespace sotto::report {

// `text` as it may stand in an element or a quoted attribute of XML and of HTML.
// What XML cannot hold at all (control characters, broken UTF-8) becomes U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

// A number for a person: at most four significant digits, 1.234×10⁻⁵ where
// plain digits would hide the size.
[[nodiscard]] std::string number_text(double value);

// `value` with as many digits as its uncertainty leaves meaning: two of `spread`'s.
// Without a spread (0), four significant ones.
[[nodiscard]] std::string value_text(double value, double spread);

// 1234567 as "1,234,567"
[[nodiscard]] std::string count_text(std::uint64_t count);

// "54.8 %", rounded up: a bound stays a bound.
[[nodiscard]] std::string percent_at_most(double probability);

// "1 in 1,000,000", "1 in 5"
[[nodiscard]] std::string odds_text(double probability);

// "ε = 1", kept on one line
[[nodiscard]] std::string equals(std::string_view letter, double value);

// "1 party", "3 parties"
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view one, std::string_view many);

// One text after the other, with a space between them if neither is empty.
[[nodiscard]] std::string join(std::string text, std::string_view more);

// −3 as ⁻³; −12 with a sign as wide as its digits; "2", −7 as 2×10⁻⁷.
[[nodiscard]] std::string superscript(int number);
[[nodiscard]] std::string with_minus_sign(const std::string& digits);
[[nodiscard]] std::string scientific(const std::string& mantissa, int exponent);

// About how wide `text` is, by its characters alone: nobody knows the reader's font.
[[nodiscard]] double text_width(std::string_view text, double size);

// `text`, cut short with … if it is wider than `width`.
[[nodiscard]] std::string shorten(std::string_view text, double width, double size);

// `text` in lines no wider than `width`, broken at spaces; a word that is too long is cut short.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, double width, double size);

}  // namespace sotto::report
