#include "privacy/calibrate/dishuf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "privacy/observe/coalition.h"

// The calibration that knows the graph, for shared masks: against an eavesdropper by the ends of
// the spectrum, against colluders by what of a party's noise they can take away.
namespace sotto {
namespace {

constexpr std::uint64_t kMinMultiplierMax = 2;
constexpr std::uint64_t kMaxMultiplierMax = std::uint64_t{1} << 31;

// The σ_η² that one eigenvalue s = ζλ(L_a) asks for:
//
//     [ (1−1/n)Δ²(1−s)² / (κ̄²(1−(1+g)⁻²)) − σ_γ² ] / s²,   0 if negative.
double eta_variance_at(double s, double spread, double gamma_variance) {
  return std::max(0.0, (spread * (1 - s) * (1 - s) - gamma_variance) / (s * s));
}

// Against an eavesdropper, for σ_γ ≥ (1+g)Δ/(√n κ̄): docs/proofs/graph_calibration.md.
// (1−s)²/(σ_γ²+σ_η²s²) falls on s < 1 and rises on s > 1: over all draws of the
// multipliers it is largest at one of the two ends, so both must do.
double eavesdropper_eta_variance(const Graph& graph, double scale, ShuffleParameters parameters,
                                 const Integer& inverse_zeta, double sigma_gamma) {
  const auto n = static_cast<double>(graph.size());
  const double spread = (1 - 1 / n) * scale * scale / privacy::spare_share(parameters.g);
  const Spectrum of_graph = privacy::safe_spectrum(graph);
  const auto a_bar = static_cast<double>(parameters.multiplier_max);
  const double product_share = a_bar * a_bar / inverse_zeta.get_d();
  const double s_low = 0.5 * product_share * of_graph.lambda_2;
  const double s_high = product_share * of_graph.lambda_max;
  return std::max(eta_variance_at(s_low, spread, sigma_gamma * sigma_gamma),
                  eta_variance_at(s_high, spread, sigma_gamma * sigma_gamma));
}

}  // namespace

Result<void> privacy::require_shuffle_parameters(const ShuffleParameters& parameters) {
  SOTTO_TRY(require_g(parameters.g));
  const std::uint64_t multiplier_max = parameters.multiplier_max;
  if (multiplier_max >= kMinMultiplierMax && multiplier_max <= kMaxMultiplierMax) return {};
  return bad_input("E-a-bar", fmt::format("a_bar = {} is out of range", multiplier_max),
                   fmt::format("a_bar lies between {} and {}, for example 1000", kMinMultiplierMax,
                               kMaxMultiplierMax));
}

// The end point's is the largest. With y₁ = 0, S = Σy and Q = Σy² it is
// Q/(NQ − S²), largest where ‖y‖/(1ᵀy) is smallest: a quasi-convex function of
// the gaps, whose minimum over [1, 2]^{N−1} has gaps of 2 first and of 1 after,
// and at most one in between. From one pattern to the next a gap 1 + t moves the
// c points behind it, whose sum is T: S + ct, Q + 2Tt + ct², and the best t is
// (cQ − ST)/(c(S − T)).
double privacy::largest_line_leverage(std::size_t points) {
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

privacy::LeverageBound privacy::leverage_bound(const Graph& graph, std::size_t colluders,
                                               double a_bar, const Integer& inverse_zeta) {
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

std::uint64_t multiplier_min(std::uint64_t multiplier_max) {
  check(multiplier_max <= kMaxMultiplierMax, "ā's square fits 64 bits");
  // a ≥ ā/√2 iff a² ≥ ā²/2 iff a² ≥ ⌈ā²/2⌉.
  const Integer square = Integer(multiplier_max) * multiplier_max;
  return ceiling_sqrt(Rational(square, 2)).get_ui();
}

ShuffleNoise privacy::shared_noise(const Graph& graph, Sensitivity sensitivity,
                                   const Budget& budget, ShuffleParameters parameters,
                                   std::size_t colluders) {
  // Z = d_max·ā² + 1, so that ζL_a has its diagonal below 1.
  const Integer a_bar(parameters.multiplier_max);
  const Integer inverse_zeta = Integer(graph.max_degree()) * a_bar * a_bar + 1;
  const double scale = sensitivity.value() / gaussian_shift(budget);
  // Of σ_γ⁻² an eavesdropper sees 1/n at rest; a coalition `at_rest`, and by η's
  // imperfection per_r²·(σ_γ/σ_η)² more, for which (1+g)² − 1 of it is spared.
  const privacy::LeverageBound seen = privacy::leverage_bound(
      graph, colluders, static_cast<double>(parameters.multiplier_max), inverse_zeta);
  const double share = colluders > 0 ? seen.at_rest : 1 / static_cast<double>(graph.size());
  const double sigma_gamma = rounded_up((1 + parameters.g) * scale * std::sqrt(share));
  double eta_variance =
      eavesdropper_eta_variance(graph, scale, parameters, inverse_zeta, sigma_gamma);
  if (colluders > 0) {
    const double spared = parameters.g * (2 + parameters.g) * seen.at_rest;
    eta_variance = std::max(eta_variance, sigma_gamma * sigma_gamma * seen.per_r2 / spared);
  }
  return {.sigma_gamma = Rational(sigma_gamma),
          .sigma_eta = Rational(rounded_up(std::sqrt(eta_variance))),
          .inverse_zeta = inverse_zeta,
          .multiplier_max = parameters.multiplier_max,
          .masks = ShuffleMasks::kShared};
}

namespace {

// The largest g of three digits, rounded down, whose masks are large enough: smaller ones leave
// less of κ̄² to σ_η, so that it grows.
double g_that_would_do(const Graph& graph, Sensitivity sensitivity, const Budget& budget,
                       ShuffleParameters parameters, std::size_t colluders, const Rational& least) {
  double too_much = parameters.g;
  double enough = too_much;
  const auto holds = [&](double g) {
    parameters.g = g;
    return privacy::shared_noise(graph, sensitivity, budget, parameters, colluders).sigma_eta >=
           least;
  };
  while (!holds(enough)) enough /= 2;
  for (int step = 0; step < 20; ++step) {
    const double middle = std::sqrt(too_much * enough);
    (holds(middle) ? enough : too_much) = middle;
  }
  const double unit = std::pow(10.0, std::floor(std::log10(enough)) - 2);
  return std::floor(enough / unit) * unit;
}

}  // namespace

Result<ShuffleNoise> calibrate_shuffle(const Graph& graph, Sensitivity sensitivity,
                                       const Budget& budget, ShuffleParameters parameters,
                                       std::size_t colluders) {
  SOTTO_TRY(privacy::require_shuffle_parameters(parameters));
  SOTTO_TRY(privacy::require_network(graph));
  SOTTO_TRY(privacy::require_colluders(graph, colluders));
  if (parameters.masks == ShuffleMasks::kPerNeighbour) {
    return privacy::calibrate_per_neighbour(graph, sensitivity, budget, parameters, colluders);
  }
  ShuffleNoise noise = privacy::shared_noise(graph, sensitivity, budget, parameters, colluders);
  const Rational least(privacy::least_sigma_eta(1, sensitivity, budget));
  if (noise.sigma_eta >= least) return noise;
  return refused(
      "E-shuffle-mask",
      fmt::format("with g = {:g} the shuffle's masks would have σ_η = {:.4g}, and below {:.4g} "
                  "they protect nobody from a neighbour",
                  parameters.g, nearest_double(noise.sigma_eta), nearest_double(least)),
      fmt::format("g = {:g} or less, or noise = \"per-neighbour\"",
                  g_that_would_do(graph, sensitivity, budget, parameters, colluders, least)));
}

}  // namespace sotto
