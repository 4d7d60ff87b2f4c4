// The writing of terms: text → postfix program and the one text that stands for it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "data/expression.h"

namespace sotto {

// Recursive descent, at most kMaxDepth deep. After the first error everything else answers with
// nothing, and error_ has it.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    if (text_.size() > Expression::kMaxText) {
      return bad_input("E-term-syntax",
                       fmt::format("a term of {} characters is longer than {}", text_.size(),
                                   Expression::kMaxText),
                       "split it into several");
    }
    Part all = sum();
    skip_blanks();
    if (!error_ && at_ < text_.size()) {
      fail(fmt::format("\"{}\" does not belong there", text_.substr(at_, 1)));
    }
    if (error_) return std::move(*error_);
    if (made_.columns_.empty()) {
      return bad_input("E-term-constant", fmt::format("the term \"{}\" names no column", all.text),
                       "name a column: log(income)");
    }
    made_.text_ = std::move(all.text);
    return std::move(made_);
  }

 private:
  using Op = Expression::Op;
  static constexpr int kMaxDepth = 40;
  enum Binding { kSum = 1, kProduct, kSign, kPowers, kWhole };
  // What has been read: as text, how tightly it holds together, and whether it is a number.
  struct Part {
    std::string text;
    Binding binding = kWhole;
    bool number = false;
    [[nodiscard]] std::string within(Binding least) const {
      return binding < least ? "(" + text + ")" : text;
    }
  };

  Part sum() {
    if (++depth_ > kMaxDepth) fail("parentheses are nested too deeply");
    Part left = product();
    while (const auto sign = take("+-")) {
      const Part right = product();
      put(*sign == '+' ? Op::kAdd : Op::kSubtract, 2);
      left = {left.text + *sign + right.within(kProduct), kSum};
    }
    --depth_;
    return left;
  }

  Part product() {
    Part left = signed_part();
    while (const auto sign = take("*:/")) {
      const Part right = signed_part();
      const bool divides = *sign == '/';
      put(divides ? Op::kDivide : Op::kMultiply, 2);
      const char shown = divides ? '/' : left.number || right.number ? '*' : ':';
      left = {left.within(kProduct) + shown + right.within(kSign), kProduct};
    }
    return left;
  }

  Part signed_part() {
    if (!take("-")) return power();
    if (++depth_ > kMaxDepth) fail("too many signs in a row");
    const Part of = error_ ? Part{} : signed_part();
    --depth_;
    put(Op::kNegate, 1);
    return {"-" + of.within(kSign), kSign, of.number};
  }

  Part power() {
    Part base = whole();
    if (!take("^")) return base;
    skip_blanks();
    std::size_t exponent = 0;
    const char* end = text_.data() + text_.size();
    const auto [after, problem] = std::from_chars(text_.data() + at_, end, exponent);
    const bool whole_number = problem == std::errc() && (after == end || *after != '.');
    if (!whole_number || exponent < 2 || exponent > Expression::kMaxPower) {
      fail(fmt::format("a power is a whole number from 2 to {}", Expression::kMaxPower));
      return {};
    }
    at_ = static_cast<std::size_t>(after - text_.data());
    return raise(base, exponent);
  }

  Part raise(const Part& base, std::size_t exponent) {
    put(Op::kPower, 1);
    if (!error_) made_.steps_.back().column = exponent;
    return {fmt::format("{}^{}", base.within(kWhole), exponent), kPowers};
  }

  Part whole() {
    skip_blanks();
    if (error_) return {};
    if (at_ == text_.size()) return fail("the term ends where a column or number should stand");
    const char c = text_[at_];
    if (take("(")) {
      Part inside = sum();
      if (!error_ && !take(")")) fail("a parenthesis is not closed");
      return inside;
    }
    if (c == '`') return backticks();
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (!begins_name(c)) {
      return fail(fmt::format("\"{}\" stands where a column or number should", c));
    }
    const std::size_t from = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    const std::string name(text_.substr(from, at_ - from));
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') return function(name, from);
    return column(name, name);
  }

  Part function(const std::string& name, std::size_t from) {
    constexpr std::array kNames{"log", "exp", "sqrt", "square"};
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
      at_ = from;
      return fail(
          fmt::format("there is no function \"{}\"; there are log, exp, sqrt and square", name));
    }
    (void)take("(");
    const Part inside = sum();
    if (!error_ && !take(")")) return fail("a parenthesis is not closed");
    if (name == "square") return raise(inside, 2);
    put(name == "log" ? Op::kLog : name == "exp" ? Op::kExp : Op::kSqrt, 1);
    return {fmt::format("{}({})", name, inside.text)};
  }

  Part backticks() {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos || end == at_ + 1) return fail("a backtick is not closed");
    const std::string name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    bool plain = begins_name(name.front());
    for (const char c : name) plain = plain && in_name(c);
    return column(name, plain ? name : "`" + name + "`");
  }

  Part number() {
    double value = 0;
    const char* end = text_.data() + text_.size();
    const auto [after, problem] = std::from_chars(text_.data() + at_, end, value);
    if (problem != std::errc() || !std::isfinite(value)) return fail("this is no number");
    at_ = static_cast<std::size_t>(after - text_.data());
    push({.op = Op::kNumber, .number = value});
    return {fmt::format("{}", value), kWhole, true};
  }

  Part column(const std::string& name, std::string shown) {
    auto& columns = made_.columns_;
    const auto found = std::find(columns.begin(), columns.end(), name);
    push({.op = Op::kColumn, .column = static_cast<std::size_t>(found - columns.begin())});
    if (found == columns.end()) columns.push_back(name);
    return {std::move(shown)};
  }

  void push(Expression::Step step) {
    if (error_) return;
    made_.steps_.push_back(step);
    made_.depth_ = std::max(made_.depth_, ++height_);
  }
  void put(Op op, std::size_t takes) {
    if (error_) return;
    made_.steps_.push_back({.op = op});
    height_ -= takes - 1;
  }

  std::optional<char> take(std::string_view any_of) {
    skip_blanks();
    if (error_ || at_ == text_.size() || any_of.find(text_[at_]) == std::string_view::npos) {
      return std::nullopt;
    }
    return text_[at_++];
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  // Bytes of UTF-8 beyond ASCII count as letters.
  static bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  }

  // With "=": a level's name is smoker=yes (data/levels.h).
  static bool in_name(char c) {
    return begins_name(c) || c == '.' || c == '=' || (c >= '0' && c <= '9');
  }

  Part fail(std::string what) {
    if (!error_) {
      error_ = bad_input("E-term-syntax",
                         fmt::format("{}, at character {} of \"{}\"", what, at_ + 1, text_),
                         "write for example log(income), x^2, age:income or (age - 40)/10; names "
                         "with blanks in `backticks`");
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t height_ = 0;
  Expression made_;
  std::optional<Error> error_;
};

Result<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

}  // namespace sotto
