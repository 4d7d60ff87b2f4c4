#include "data/expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

// A postfix program, run over intervals once and over rows many at a time.
namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double below(double v) {
  return std::nextafter(v, -kInfinity);
}
double above(double v) {
  return std::nextafter(v, kInfinity);
}

// The result of one operation, and whether it is exact: then nothing is rounded outward.
struct Rounded {
  double value;
  bool exact;
  [[nodiscard]] double down() const { return exact ? value : below(value); }
  [[nodiscard]] double up() const { return exact ? value : above(value); }
};

// Knuth's TwoSum: the rounding error of a + b.
Rounded add(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part) == 0};
}
Rounded multiply(double a, double b) {
  const double product = a * b;
  // Below 1e-290 the error itself may underflow.
  const bool safe = product == 0 ? a == 0 || b == 0 : std::abs(product) > 1e-290;
  return {product, safe && std::fma(a, b, -product) == 0};
}
Rounded divide(double a, double b) {
  const double quotient = a / b;
  const bool safe = quotient == 0 ? a == 0 : std::abs(a) > 1e-290;
  return {quotient, safe && std::fma(quotient, b, -a) == 0};
}

template <class Operation>
Bounds hull(Operation operation, Bounds a, Bounds b) {
  Bounds found{kInfinity, -kInfinity};
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) {
      const Rounded at = operation(x, y);
      if (std::isnan(at.value)) return {-kInfinity, kInfinity};
      found.lo = std::min(found.lo, at.down());
      found.hi = std::max(found.hi, at.up());
    }
  }
  return found;
}

// x^n for x ≥ 0, multiplied as evaluate() does, each product rounded one way.
double power_down(double x, std::size_t n) {
  double result = x;
  for (std::size_t k = 1; k < n; ++k) result = std::max(0.0, multiply(result, x).down());
  return result;
}
double power_up(double x, std::size_t n) {
  double result = x;
  for (std::size_t k = 1; k < n; ++k) result = multiply(result, x).up();
  return result;
}

Bounds power(Bounds x, std::size_t n) {
  if (n % 2 == 1) {
    const auto end = [n](double v, bool up) {
      if (v < 0) return up ? -power_down(-v, n) : -power_up(-v, n);
      return up ? power_up(v, n) : power_down(v, n);
    };
    return {end(x.lo, false), end(x.hi, true)};
  }
  const double far = std::max(std::abs(x.lo), std::abs(x.hi));
  const double near = x.lo <= 0 && x.hi >= 0 ? 0 : std::min(std::abs(x.lo), std::abs(x.hi));
  return {power_down(near, n), power_up(far, n)};
}

// The library's log and exp are off by less than one unit in the last place, and need not be
// monotone: two units hold both.
Bounds outward_twice(double lo, double hi) {
  return {below(below(lo)), above(above(hi))};
}

Rounded square_root(double v) {
  const double root = std::sqrt(v);
  return {root, v == 0 || (v > 1e-290 && std::fma(root, root, -v) == 0)};
}

Error outside_domain(std::string_view what, Bounds bounds) {
  return bad_input(
      "E-term-domain",
      std::string(what) + " [" + std::to_string(bounds.lo) + ", " + std::to_string(bounds.hi) + "]",
      "narrow the bounds of its columns, or add a number: log(x + 1)");
}

}  // namespace

Result<Bounds> Expression::bounds(std::span<const Bounds> columns) const {
  check(columns.size() == columns_.size(), "bounds for each column of a term");
  std::vector<Bounds> stack;
  const auto pop = [&] {
    const Bounds last = stack.back();
    stack.pop_back();
    return last;
  };
  for (const Step& step : steps_) {
    if (step.op == Op::kColumn) {
      stack.push_back(columns[step.column]);
      continue;
    }
    if (step.op == Op::kNumber) {
      stack.push_back({step.number, step.number});
      continue;
    }
    const Bounds b = pop();
    switch (step.op) {
      case Op::kNegate:
        stack.push_back({-b.hi, -b.lo});
        break;
      case Op::kPower:
        stack.push_back(power(b, step.column));
        break;
      case Op::kLog:
        if (!(b.lo > 0)) return outside_domain("log of numbers that may be 0 or less:", b);
        stack.push_back(outward_twice(std::log(b.lo), std::log(b.hi)));
        break;
      case Op::kExp: {
        const Bounds e = outward_twice(std::exp(b.lo), std::exp(b.hi));
        stack.push_back({std::max(0.0, e.lo), e.hi});
        break;
      }
      case Op::kSqrt:
        if (!(b.lo >= 0)) return outside_domain("sqrt of numbers that may be below 0:", b);
        stack.push_back({square_root(b.lo).down(), square_root(b.hi).up()});
        break;
      default: {
        const Bounds a = pop();
        if (step.op == Op::kAdd) {
          stack.push_back({add(a.lo, b.lo).down(), add(a.hi, b.hi).up()});
        } else if (step.op == Op::kSubtract) {
          stack.push_back({add(a.lo, -b.hi).down(), add(a.hi, -b.lo).up()});
        } else if (step.op == Op::kMultiply) {
          stack.push_back(hull(multiply, a, b));
        } else {
          if (b.lo <= 0 && b.hi >= 0) return outside_domain("division by what may be 0:", b);
          stack.push_back(hull(divide, a, b));
        }
      }
    }
    // On the way too: what is infinite times 0 would be no number, whatever its bounds say.
    if (const Bounds made = stack.back(); !std::isfinite(made.lo) || !std::isfinite(made.hi)) {
      return outside_domain("numbers that may be too large:", made);
    }
  }
  return stack.back();
}

void Expression::evaluate(std::span<const double* const> columns, std::size_t count,
                          std::vector<double>& scratch, double* out) const {
  if (scratch.size() < depth_ * count) scratch.resize(depth_ * count);
  double* top = scratch.data();  // the first free place of the stack
  const auto unary = [&](auto operation) {
    double* __restrict a = top - count;
    for (std::size_t r = 0; r < count; ++r) a[r] = operation(a[r]);
  };
  const auto binary = [&](auto operation) {
    top -= count;
    double* __restrict a = top - count;
    const double* __restrict b = top;
    for (std::size_t r = 0; r < count; ++r) a[r] = operation(a[r], b[r]);
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::kColumn:
        top = std::copy_n(columns[step.column], count, top);
        break;
      case Op::kNumber:
        top = std::fill_n(top, count, step.number);
        break;
      case Op::kAdd:
        binary([](double a, double b) { return a + b; });
        break;
      case Op::kSubtract:
        binary([](double a, double b) { return a - b; });
        break;
      case Op::kMultiply:
        binary([](double a, double b) { return a * b; });
        break;
      case Op::kDivide:
        binary([](double a, double b) { return a / b; });
        break;
      case Op::kNegate:
        unary([](double a) { return -a; });
        break;
      case Op::kLog:
        unary([](double a) { return std::log(a); });
        break;
      case Op::kExp:
        unary([](double a) { return std::exp(a); });
        break;
      case Op::kSqrt:
        unary([](double a) { return std::sqrt(a); });
        break;
      case Op::kPower:
        unary([n = step.column](double a) {
          double result = a;
          for (std::size_t k = 1; k < n; ++k) result *= a;
          return result;
        });
        break;
    }
  }
  std::copy_n(scratch.data(), count, out);
}

}  // namespace sotto
