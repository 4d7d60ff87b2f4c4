#include "privacy/leverage.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "privacy/gaussian.h"

namespace sotto {

// The end point's is the largest. With y₁ = 0, S = Σy and Q = Σy² it is
// Q/(NQ − S²), largest where ‖y‖/(1ᵀy) is smallest: a quasi-convex function of
// the gaps, whose minimum over [1, 2]^{N−1} has gaps of 2 first and of 1 after,
// and at most one in between. From one pattern to the next a gap 1 + t moves the
// c points behind it, whose sum is T: S + ct, Q + 2Tt + ct², and the best t is
// (cQ − ST)/(c(S − T)).
double largest_line_leverage(std::size_t points) {
  check(points >= 2, "a line has two points");
  const auto n = static_cast<double>(points);
  double sum = n * (n - 1) / 2;
  double squares = n * (n - 1) * (2 * n - 1) / 6;
  double worst = squares / (n * squares - sum * sum);
  double behind = sum;  // T: at first all points but y₁ = 0
  for (std::size_t gap = 0; gap + 1 < points; ++gap) {
    const double c = n - 1 - static_cast<double>(gap);
    const double best =
        behind < sum ? std::clamp((c * squares - sum * behind) / (c * (sum - behind)), 0.0, 1.0)
                     : 1.0;
    for (const double t : {best, 1.0}) {
      const double s = sum + c * t;
      const double q = squares + 2 * behind * t + c * t * t;
      worst = std::max(worst, q / (n * q - s * s));
    }
    sum += c;
    squares += 2 * behind + c;
    behind += c;
    // The first of the points behind now stands before the next gap.
    behind -= 2 * static_cast<double>(gap + 1);
  }
  return worst;
}

LeverageBound leverage_bound(const Graph& graph, std::size_t colluders, double a_bar,
                             const Integer& inverse_zeta) {
  const std::size_t n = graph.size();
  const bool is_cycle = n >= 4 && graph.max_degree() == 2 && graph.edges().size() == n;
  if (!is_cycle || colluders != 1) return {};
  // What is left is a path of n−1; between its ends L₀ has 4 sin²(π/(2(n−2))) as
  // its smallest eigenvalue.
  const double angle = std::numbers::pi / (2 * static_cast<double>(n - 2));
  const double dirichlet = 4 * std::pow(std::sin(angle), 2);
  const double s = 0.5 * a_bar * a_bar / inverse_zeta.get_d() * dirichlet;
  return {.at_rest = std::min(1.0, rounded_up(largest_line_leverage(n - 1))),
          .per_r2 = rounded_up(std::pow(1 + 1 / s, 2))};
}

}  // namespace sotto
