#include "privacy/calibration.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "privacy/gaussian.h"
#include "privacy/leverage.h"
#include "privacy/parameter_checks.h"

namespace sotto {
namespace {

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
  const double spread = (1 - 1 / n) * scale * scale / spare_share(parameters.g);
  const Spectrum of_graph = safe_spectrum(graph);
  const auto a_bar = static_cast<double>(parameters.multiplier_max);
  const double product_share = a_bar * a_bar / inverse_zeta.get_d();
  const double s_low = 0.5 * product_share * of_graph.lambda_2;
  const double s_high = product_share * of_graph.lambda_max;
  return std::max(eta_variance_at(s_low, spread, sigma_gamma * sigma_gamma),
                  eta_variance_at(s_high, spread, sigma_gamma * sigma_gamma));
}

}  // namespace

std::uint64_t multiplier_min(std::uint64_t multiplier_max) {
  check(multiplier_max <= kMaxMultiplierMax, "ā's square fits 64 bits");
  // a ≥ ā/√2 iff a² ≥ ā²/2 iff a² ≥ ⌈ā²/2⌉.
  const Integer square = Integer(multiplier_max) * multiplier_max;
  return ceiling_sqrt(Rational(square, 2)).get_ui();
}

Result<ShuffleNoise> calibrate_shuffle(const Graph& graph, Sensitivity sensitivity,
                                       const Budget& budget, ShuffleParameters parameters,
                                       std::size_t colluders) {
  if (auto ok = require_g(parameters.g); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_multiplier_max(parameters.multiplier_max); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = require_network(graph); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_colluders(graph, colluders); !ok) return tl::unexpected(ok.error());

  // Z = d_max·ā² + 1, so that ζL_a has its diagonal below 1.
  const Integer a_bar(parameters.multiplier_max);
  const Integer inverse_zeta = Integer(graph.max_degree()) * a_bar * a_bar + 1;
  const double scale = sensitivity.value() / gaussian_shift(budget);
  // Of σ_γ⁻² an eavesdropper sees 1/n at rest; a coalition `at_rest`, and by η's
  // imperfection per_r²·(σ_γ/σ_η)² more, for which (1+g)² − 1 of it is spared.
  const LeverageBound seen = leverage_bound(
      graph, colluders, static_cast<double>(parameters.multiplier_max), inverse_zeta);
  const double share = colluders > 0 ? seen.at_rest : 1 / static_cast<double>(graph.size());
  const double sigma_gamma = rounded_up((1 + parameters.g) * scale * std::sqrt(share));
  double eta_variance =
      eavesdropper_eta_variance(graph, scale, parameters, inverse_zeta, sigma_gamma);
  if (colluders > 0) {
    const double spared = parameters.g * (2 + parameters.g) * seen.at_rest;
    eta_variance = std::max(eta_variance, sigma_gamma * sigma_gamma * seen.per_r2 / spared);
  }
  return ShuffleNoise{.sigma_gamma = Rational(sigma_gamma),
                      .sigma_eta = Rational(rounded_up(std::sqrt(eta_variance))),
                      .inverse_zeta = inverse_zeta,
                      .multiplier_max = parameters.multiplier_max};
}

}  // namespace sotto
