#include "data/csv/fields.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

namespace sotto {
namespace {

std::vector<CsvKernel> kernels() {
  std::vector<CsvKernel> all = {CsvKernel::kPortable};
  if (best_csv_kernel() == CsvKernel::kAvx2) all.push_back(CsvKernel::kAvx2);
  return all;
}

// A text with the padding that the kernels may read.
class Padded {
 public:
  explicit Padded(std::string_view text)
      : size_(text.size()),
        storage_(std::string(kTextPadding, '7') + std::string(text) +
                 std::string(kTextPadding, '\0')) {}
  [[nodiscard]] std::string_view text() const {
    return std::string_view(storage_).substr(kTextPadding, size_);
  }

 private:
  std::size_t size_;
  std::string storage_;
};

// One character at a time, as RFC 4180 reads.
struct SimpleEnds {
  std::vector<std::uint32_t> ends;
  std::size_t records = 0;
  std::size_t lines = 0;
  bool inside = false;
};

SimpleEnds simple_ends(std::string_view text) {
  SimpleEnds found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++found.lines;
    if (text[i] == '"') found.inside = !found.inside;
    if (found.inside || (text[i] != ',' && text[i] != '\n')) continue;
    found.ends.push_back(static_cast<std::uint32_t>(i));
    if (text[i] == ',') continue;
    ++found.records;
  }
  return found;
}

RC_GTEST_PROP(FieldEnds, AreThoseOfAReaderOfSingleCharacters, ()) {
  // Fields that are well quoted, of all lengths around the kernels' 64 bytes.
  std::string text;
  const auto fields = *rc::gen::inRange(1, 60);
  for (int i = 0; i < fields; ++i) {
    const bool quoted = *rc::gen::inRange(0, 4) == 0;
    const auto body = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string(quoted ? "a1,\n\r" : "a1. \r")));
    text += quoted ? "\"" + body + (body.size() % 2 == 0 ? "\"\"" : "") + "\"" : body;
    text += *rc::gen::elementOf(std::string(",,\n"));
  }
  text += "\n";
  const Padded padded(text);
  const SimpleEnds expected = simple_ends(text);
  for (const CsvKernel kernel : kernels()) {
    FieldEnds found;
    find_field_ends(kernel, padded.text(), found);
    RC_ASSERT(found.bad_quote == FieldEnds::kNone);
    RC_ASSERT(!found.unterminated);
    RC_ASSERT(found.records == expected.records);
    RC_ASSERT(found.lines == expected.lines);
    RC_ASSERT(found.fields == expected.ends.size());
    RC_ASSERT(std::equal(expected.ends.begin(), expected.ends.end(), found.ends.begin() + 1));
  }
}

TEST(FieldEnds, AreTheSameWhateverTheSeparator) {
  std::string text;
  for (int k = 0; k < 100; ++k) text += std::to_string(k * k) + (k % 7 == 0 ? "\n" : ",");
  text += "\"a;,\t|b\",\n";
  for (const char separator : {';', '\t', '|'}) {
    std::string other = text;
    std::replace(other.begin(), other.end() - 10, ',', separator);
    other[other.size() - 2] = separator;
    const Padded plain(text);
    const Padded replaced(other);
    for (const CsvKernel kernel : kernels()) {
      FieldEnds expected;
      FieldEnds found;
      find_field_ends(kernel, plain.text(), expected);
      find_field_ends(kernel, replaced.text(), found, separator);
      ASSERT_EQ(found.fields, expected.fields) << separator;
      expected.ends.resize(expected.fields + 1);
      found.ends.resize(found.fields + 1);
      EXPECT_EQ(found.ends, expected.ends) << separator;
    }
  }
}

TEST(FieldEnds, PointAtTheFirstQuoteThatDoesNotBelongThere) {
  for (const std::size_t before : {0, 1, 58, 59, 60, 61, 62, 63, 64, 65, 200}) {
    const std::string start = std::string(before, 'x') + ",";
    const std::vector<std::pair<std::string, std::size_t>> cases = {
        {"5\" pipe,\n", 1}, {"\"a\"b,1\n", 3}, {"\"\"a\n", 2}, {"a\"\"\n", 1}};
    for (const auto& [tail, offset] : cases) {
      const Padded padded(start + tail);
      for (const CsvKernel kernel : kernels()) {
        FieldEnds found;
        find_field_ends(kernel, padded.text(), found);
        EXPECT_EQ(found.bad_quote, start.size() + offset) << tail;
      }
    }
  }
}

TEST(FieldEnds, TellThatAQuotedFieldNeverEnds) {
  for (const CsvKernel kernel : kernels()) {
    FieldEnds found;
    const Padded padded("a,b\n1,\"2\n3,4\n");
    find_field_ends(kernel, padded.text(), found);
    EXPECT_TRUE(found.unterminated);
    EXPECT_EQ(found.records, 1U);
    EXPECT_EQ(found.fields, 3U);
  }
}

std::optional<double> plain(CsvKernel kernel, const std::string& field, const std::string& end) {
  const Padded padded("12345678901234567890," + field + end);
  FieldEnds found;
  find_field_ends(kernel, padded.text(), found);
  double value = 0;
  std::uint16_t other = 0;
  const std::size_t others =
      parse_plain_column(kernel, padded.text().data(), found.ends.data(), 2, 1, 1, &value, &other);
  if (others != 0) return std::nullopt;
  return value;
}

// Correctly rounded by the C library, in the "C" locale of tests.
void expect_nearest(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  double value = 0;
  ASSERT_TRUE(parse_decimal(text, value)) << text;
  EXPECT_EQ(value, expected) << text;
  EXPECT_EQ(std::signbit(value), std::signbit(expected)) << text;
  for (const CsvKernel kernel : kernels()) {
    for (const char* end : {"\n", "\r\n"}) {
      const auto fast = plain(kernel, text, end);
      if (fast) {
        EXPECT_EQ(*fast, expected) << text;
        EXPECT_EQ(std::signbit(*fast), std::signbit(expected)) << text;
      }
    }
  }
}

TEST(Decimal, IsTheNearestDouble) {
  for (const char* text : {"0",
                           "-0",
                           "-0.0",
                           "7",
                           "-7",
                           "0.1",
                           ".5",
                           "5.",
                           "-.5",
                           "123456789012345",
                           "9007199254740992",
                           "9007199254740993",
                           "9999999999999999",
                           "0.000000000000001",
                           "1234567.89012345",
                           "179769313486231570000000000000000000000",
                           "1e5",
                           "1E-5",
                           "-1.5e+3",
                           "4.9e-324",
                           "0.1234567890123456789",
                           "2.2250738585072011e-308",
                           "8.5",
                           "1.7976931348623157e308",
                           "0.3000000000000000444089209850062616169452667236328125"}) {
    expect_nearest(text);
  }
}

TEST(Decimal, TakesTheFastPathUpToSixteenCharacters) {
  for (const CsvKernel kernel : kernels()) {
    EXPECT_TRUE(plain(kernel, "-123456789.123456", "\n"));
    EXPECT_FALSE(plain(kernel, "1234567890.1234567", "\n"));
    EXPECT_FALSE(plain(kernel, "9007199254740993", "\n"));
  }
}

TEST(Decimal, IsNothingElse) {
  for (const char* text : {"",    "-",     "+",    ".",    "-.",   "1.2.3",    "1 2",   "nan",
                           "NaN", "inf",   "-inf", "0x10", "1,5",  "--1",      "+-1",   "1e",
                           "e5",  "1e400", "a",    "1a",   "12-3", "infinity", "1_000", "\"1\""}) {
    double value = 0;
    EXPECT_FALSE(parse_decimal(text, value)) << text;
    for (const CsvKernel kernel : kernels()) {
      if (std::string_view(text).find_first_of(",\"") != std::string_view::npos) continue;
      EXPECT_FALSE(plain(kernel, text, "\n")) << text;
    }
  }
}

TEST(Decimal, AllowsBlanksAndAPlusSign) {
  double value = 0;
  EXPECT_TRUE(parse_decimal(" \t+2.5 ", value));
  EXPECT_EQ(value, 2.5);
}

RC_GTEST_PROP(Decimal, IsTheNearestDoubleForAnyDigits, ()) {
  std::string text = *rc::gen::elementOf(std::vector<std::string>{"", "-"});
  text += *rc::gen::container<std::string>(rc::gen::inRange<char>('0', '9' + 1));
  if (*rc::gen::arbitrary<bool>()) text += ".";
  text += std::to_string(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
  expect_nearest(text);
}

RC_GTEST_PROP(Decimal, BothKernelsAgreeOnAnyText, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("0123456789012345678901234567890.-+eE a")));
  const auto portable = plain(CsvKernel::kPortable, text, "\n");
  for (const CsvKernel kernel : kernels()) RC_ASSERT(plain(kernel, text, "\n") == portable);
}

}  // namespace
}  // namespace sotto
