// ε, δ and Δ are checked here, and κ is computed: with a = ε/s − s/2, b = ε/s + s/2 and φ(a) = e^ε
// φ(b),
//
//     κ_ε(s) = Φ(−a) − e^ε Φ(−b) = φ(a)·(R(a) − R(b)),    R(x) = Φ(−x)/φ(x),
//     R(a) − R(b) = ∫_a^b G(x) dx,                         G(x) = −R′(x) = 1 − x·R(x).
//
// R is Mills' ratio. For a short shift a and b agree in their first digits, so
// there the integral is taken, whose integrand is positive and smooth; G itself
// is computed without subtraction where x·R(x) is near 1.
#include "privacy/budget.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace sotto {
namespace {

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Mills {
  double ratio = 0;  // R(x)
  double slope = 0;  // G(x) = 1 − x·R(x) > 0
};

// From kFractionFrom on, Laplace's continued fraction
//
//     R(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))),
//
// whose tail t = 1/(x + 2/(x + …)) also gives 1 − x·R = t·R. Below, erfc.
Mills mills(double x) {
  constexpr double kFractionFrom = 3;
  constexpr int kFractionTerms = 120;
  if (x < kFractionFrom) {
    const double ratio =
        std::exp(0.5 * x * x + kLogSqrtTwoPi) * 0.5 * std::erfc(x / std::numbers::sqrt2);
    return {ratio, 1 - x * ratio};
  }
  double tail = 0;
  for (int k = kFractionTerms; k >= 1; --k) tail = k / (x + tail);
  const double ratio = 1 / (x + tail);
  return {ratio, tail * ratio};
}

// ∫ G over [centre − half, centre + half] by Gauss–Legendre with 16 points; exact
// to rounding for half ≤ ½. Not given as its ends: their difference would cancel.
double mills_drop(double centre, double half) {
  constexpr std::array<double, 8> kNode = {
      0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
      0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
  constexpr std::array<double, 8> kWeight = {
      0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382, 0.1495959888165767321,
      0.1246289712555338720, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};
  double sum = 0;
  for (std::size_t k = 0; k < kNode.size(); ++k) {
    sum += kWeight[k] *
           (mills(centre - half * kNode[k]).slope + mills(centre + half * kNode[k]).slope);
  }
  return half * sum;
}

double normal_tail(double x) {
  return 0.5 * std::erfc(x / std::numbers::sqrt2);
}

double log_density(double x) {
  return -0.5 * x * x - kLogSqrtTwoPi;
}

// κ and everything its two inverses need, at one point.
struct Kappa {
  double a = 0;
  double b = 0;
  double value = 0;           // κ
  double log_value = 0;       // finite even where κ underflows
  double log_complement = 0;  // ln(1 − κ), finite even where κ rounds to 1
  double density = 0;         // φ(a) = ∂κ/∂s
  double density_share = 0;   // φ(a)/κ
};

Kappa kappa(double epsilon, double shift) {
  constexpr double kIntegrateBelow = 1;
  Kappa k;
  if (shift == 0 || std::isinf(epsilon / shift)) {
    k.a = k.b = kInfinity;
    k.log_value = -kInfinity;
    return k;
  }
  k.a = epsilon / shift - 0.5 * shift;
  k.b = epsilon / shift + 0.5 * shift;
  k.density = std::exp(log_density(k.a));
  if (k.a < 0 && shift >= kIntegrateBelow) {
    const double far = k.density * mills(k.b).ratio;
    k.value = normal_tail(k.a) - far;
    k.log_value = std::log1p(-(normal_tail(-k.a) + far));
    // 1 − κ = Φ(a) + e^ε Φ(−b) = φ(a)(R(−a) + R(b)): a sum, nothing cancels.
    k.log_complement = log_density(k.a) + std::log(mills(-k.a).ratio + mills(k.b).ratio);
    k.density_share = k.density / k.value;
  } else {
    const double drop = shift < kIntegrateBelow ? mills_drop(epsilon / shift, 0.5 * shift)
                                                : mills(k.a).ratio - mills(k.b).ratio;
    k.value = k.density * drop;
    k.log_value = log_density(k.a) + std::log(drop);
    k.log_complement = std::log1p(-k.value);
    k.density_share = 1 / drop;
  }
  return k;
}

// The root of an increasing function in [low, high], by Newton's steps wherever
// they stay inside the bracket and halve it. `at` gives {value, slope}.
template <class Function>
double increasing_root(double low, double high, Function at) {
  constexpr int kMaxSteps = 200;
  double x = 0.5 * (low + high);
  for (int step = 0; step < kMaxSteps; ++step) {
    const auto [value, slope] = at(x);
    (value < 0 ? low : high) = x;
    double next = x - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    // A unit in the last place cannot be improved upon.
    if (std::abs(next - x) <= 2e-16 * std::abs(x) || next == low || next == high) return next;
    x = next;
  }
  return x;
}

struct Point {
  double value;
  double slope;
};

}  // namespace

Result<Epsilon> Epsilon::make(double value) {
  if (std::isfinite(value) && value > 0) return Epsilon(value);
  return bad_input("E-epsilon", fmt::format("ε = {} is not a privacy-loss bound", value),
                   "ε is a finite number above 0, for example 1.0");
}

Result<Delta> Delta::make(double value) {
  if (value > 0 && value < 1) return Delta(value);
  return bad_input("E-delta", fmt::format("δ = {} is not a probability to live with", value),
                   "δ lies strictly between 0 and 1 and well below 1/rows, for example 1e-6");
}

Result<Budget> Budget::make(double epsilon, double delta) {
  SOTTO_ASSIGN(auto checked_epsilon, Epsilon::make(epsilon));
  SOTTO_ASSIGN(auto checked_delta, Delta::make(delta));
  return Budget{.epsilon = checked_epsilon, .delta = checked_delta};
}

Result<Sensitivity> Sensitivity::make(double value) {
  if (std::isfinite(value) && value > 0) return Sensitivity(value);
  return bad_input("E-sensitivity",
                   fmt::format("{} is not a distance that one change can move a release", value),
                   "the sensitivity (mu) is a finite number above 0, for example 3.0");
}

double gaussian_delta(double epsilon, double shift) {
  check(epsilon >= 0 && std::isfinite(epsilon), "ε is finite and not negative");
  check(shift >= 0, "a shift is a length");
  if (std::isinf(shift)) return 1;
  return kappa(epsilon, shift).value;
}

double gaussian_shift(const Budget& budget) {
  return gaussian_shift(budget.epsilon.value(), budget.delta.value());
}

// Newton on t = ln s. Below δ = ½ it solves ln κ = ln δ, above it
// ln(1−κ) = ln(1−δ): on each side the one that is well conditioned.
double gaussian_shift(double epsilon, double delta) {
  check(epsilon > 0 && std::isfinite(epsilon), "ε is finite and positive");
  check(delta > 0 && delta < 1, "δ lies between 0 and 1");
  const bool upper = delta > 0.5;
  const double target = upper ? std::log1p(-delta) : std::log(delta);
  const auto excess = [&](double t) {
    const double shift = std::exp(t);
    const Kappa k = kappa(epsilon, shift);
    if (upper) {
      const double share = std::exp(log_density(k.a) - k.log_complement);
      return Point{target - k.log_complement, share * shift};
    }
    return Point{k.log_value - target, k.density_share * shift};
  };
  // At s = √(2ε), a = 0: the middle of the curve. From there outwards, which ends: at s = 0 and
  // s = ∞ the curve has its limits. 2ε itself may be past a double's range.
  double low =
      0.5 * (epsilon < 1e300 ? std::log(2 * epsilon) : std::numbers::ln2 + std::log(epsilon));
  double high = low;
  while (!(excess(low).value < 0)) low -= 2;
  while (!(excess(high).value > 0)) high += 2;
  return std::exp(increasing_root(low, high, excess));
}

double gaussian_epsilon(double shift, double delta) {
  check(shift >= 0, "a shift is a length");
  check(delta > 0 && delta < 1, "δ lies between 0 and 1");
  const double total_variation = std::erf(0.5 * shift / std::numbers::sqrt2);
  if (total_variation <= delta) return 0;
  if (!(shift < 1e150)) return kInfinity;  // ε ≈ s²/2 is past a double's range
  const double target = std::log(delta);
  const auto excess = [&](double epsilon) {
    const Kappa k = kappa(epsilon, shift);
    return Point{target - k.log_value, k.density_share * mills(k.b).ratio};
  };
  double high = shift * (0.5 * shift + 1);
  while (!(excess(high).value > 0)) high *= 2;
  return increasing_root(0, high, excess);
}

double gaussian_sigma(Sensitivity sensitivity, const Budget& budget) {
  return rounded_up(sensitivity.value() / gaussian_shift(budget));
}

double rounded_up(double value) {
  return value * (1 + std::ldexp(1.0, -40));
}

}  // namespace sotto
