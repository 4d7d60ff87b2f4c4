#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/bounds.h"

namespace sotto {

// What a term of a study computes from numbers of a row, as it is written there:
//
//     log(income)   sqrt(x)   square(x) or x^2   exp(x)   age:income or age * income   (age -
//     40)/10
//
// Names that are no identifiers stand in backticks, as in R: `net income`.
class Expression {
 public:
  static constexpr std::size_t kMaxText = 500;
  static constexpr int kMaxPower = 8;

  Expression() = default;

  // E-term-syntax says at which character; E-term-constant where no column is named.
  [[nodiscard]] static Result<Expression> parse(std::string_view text);

  // One text for each way of writing it: "age:income", "x^2".
  [[nodiscard]] const std::string& text() const { return text_; }
  // Each column once, as they come.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  // Interval arithmetic: an interval that holds every value that evaluate() can give for columns
  // inside theirs. Every inexact operation is rounded outward, so it holds for the numbers that a
  // computer gets too. E-term-domain: log of what may be 0, a root below 0, a division by 0.
  [[nodiscard]] Result<Bounds> bounds(std::span<const Bounds> columns) const;

  // For `count` rows: columns[k][r] is column k's value. `scratch` grows as needed.
  void evaluate(std::span<const double* const> columns, std::size_t count,
                std::vector<double>& scratch, double* out) const;

  // The same operations in the same order, as a formula over `columns`; `number` writes a constant.
  // Every operation is one that IEEE rounds, so whoever computes the formula in doubles has the
  // same bits. E-push-down: log and exp, which every library rounds in its own way; or too long a
  // text.
  [[nodiscard]] Result<std::string> formula(std::span<const std::string> columns,
                                            const std::function<std::string(double)>& number) const;

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t {
    kColumn,
    kNumber,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kPower,
    kLog,
    kExp,
    kSqrt
  };
  struct Step {
    Op op = Op::kNumber;
    double number = 0;       // of kNumber
    std::size_t column = 0;  // of kColumn; the exponent of kPower
  };

  std::string text_;
  std::vector<std::string> columns_;
  std::vector<Step> steps_;  // postfix
  std::size_t depth_ = 0;    // of the stack
};

}  // namespace sotto
