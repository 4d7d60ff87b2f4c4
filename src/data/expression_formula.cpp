// A term as a formula for databases.
#include <fmt/format.h>

#include "base/check.h"
#include "data/expression.h"

namespace sotto {
namespace {

// A power repeats what it is of, and powers of powers repeat that.
constexpr std::size_t kMaxFormula = 20'000;

}  // namespace

Result<std::string> Expression::formula(std::span<const std::string> columns,
                                        const std::function<std::string(double)>& number) const {
  check(columns.size() == columns_.size(), "a name for each column of a term");
  std::vector<std::string> stack;
  const auto pop = [&] {
    std::string last = std::move(stack.back());
    stack.pop_back();
    return last;
  };
  const auto binary = [&](const char* sign) {
    const std::string b = pop();
    const std::string a = pop();
    stack.push_back(fmt::format("({} {} {})", a, sign, b));
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::kColumn:
        stack.push_back(columns[step.column]);
        break;
      case Op::kNumber:
        stack.push_back(number(step.number));
        break;
      case Op::kAdd:
        binary("+");
        break;
      case Op::kSubtract:
        binary("-");
        break;
      case Op::kMultiply:
        binary("*");
        break;
      case Op::kDivide:
        binary("/");
        break;
      case Op::kNegate:
        stack.push_back(fmt::format("(- {})", pop()));
        break;
      case Op::kSqrt:
        stack.push_back(fmt::format("sqrt({})", pop()));
        break;
      case Op::kPower: {
        const std::string base = pop();
        std::string power = base;
        for (std::size_t k = 1; k < step.column && power.size() <= kMaxFormula; ++k) {
          power = fmt::format("({} * {})", power, base);
        }
        stack.push_back(std::move(power));
        break;
      }
      case Op::kLog:
      case Op::kExp:
        return bad_input("E-push-down",
                         fmt::format("\"{}\" has a logarithm or an exponential, and no two "
                                     "libraries round those alike",
                                     text_),
                         "leave --push-down away: the same rows, read by sotto");
    }
    if (stack.back().size() > kMaxFormula) {
      return bad_input("E-push-down", fmt::format("\"{}\" is too long as a formula of SQL", text_),
                       "leave --push-down away: the same rows, read by sotto");
    }
  }
  return stack.back();
}

}  // namespace sotto
