#include <Eigen/Cholesky>
#include <cmath>

#include "base/check.h"
#include "privacy/adversary.h"
#include "privacy/calibration.h"
#include "privacy/coalition.h"
#include "privacy/gaussian.h"
#include "privacy/parameter_checks.h"

namespace sotto {

// With n′ = n − t honest parties and λ₂ the smallest over what t parties leave:
//
//     σ_γ = (1+g)Δ/(√n′ κ̄),
//     σ_edge² = [ (1−1/n′)Δ²/(κ̄²(1−(1+g)⁻²)) − σ_γ² ]/λ₂(L₀),   0 if negative.
//
// docs/proofs/pairwise.md.
Result<PairwiseNoise> calibrate_pairwise(const Graph& graph, Sensitivity sensitivity,
                                         const Budget& budget, double g, std::size_t colluders) {
  if (auto ok = require_g(g); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_network(graph); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_colluders(graph, colluders); !ok) return tl::unexpected(ok.error());
  const auto lambda_2 = colluders == 0 ? std::optional(safe_spectrum(graph).lambda_2)
                                       : smallest_lambda_2(graph, colluders);
  if (!lambda_2) return too_many_coalitions(graph, colluders);
  check(*lambda_2 > 0, "what is left is in one piece");

  const auto honest = static_cast<double>(graph.size() - colluders);
  const double scale = sensitivity.value() / gaussian_shift(budget);
  const double sigma_gamma = rounded_up((1 + g) * scale / std::sqrt(honest));
  const double spread = (1 - 1 / honest) * scale * scale / spare_share(g);
  const double edge_variance = std::max(0.0, (spread - sigma_gamma * sigma_gamma) / *lambda_2);
  return PairwiseNoise{.sigma_gamma = sigma_gamma,
                       .sigma_edge = rounded_up(std::sqrt(edge_variance))};
}

// √(e_iᵀC⁻¹e_i) with C = σ_γ²I + σ_edge²·L of the graph left over. As
//
//     e_iᵀC⁻¹e_i = max_x 2x_i − xᵀCx,    xᵀLx = Σ_edges (x_a − x_b)²,
//
// evaluated at the computed x = C⁻¹e_i, whose error counts only squared.
WorstParty pairwise_coalition_shift(const Graph& graph, const PairwiseNoise& noise,
                                    Sensitivity sensitivity, std::span<const PartyId> coalition) {
  using Eigen::Index;
  const Remains remains = without(graph, coalition);
  check(!remains.parties.empty(), "somebody is honest");
  // In units of σ_γ, so that C = I + (σ_edge/σ_γ)²L.
  const double ratio = std::pow(noise.sigma_edge / noise.sigma_gamma, 2);
  const auto n = static_cast<Index>(remains.parties.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n);
  for (const auto& link : remains.links) {
    const auto a = static_cast<Index>(link.a);
    const auto b = static_cast<Index>(link.b);
    covariance(a, a) += ratio;
    covariance(b, b) += ratio;
    covariance(a, b) -= ratio;
    covariance(b, a) -= ratio;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  check(factor.info() == Eigen::Success, "a covariance is positive definite");
  const Eigen::MatrixXd x = factor.solve(Eigen::MatrixXd::Identity(n, n));
  WorstParty worst;
  for (Index i = 0; i < n; ++i) {
    double energy = 0;
    for (const auto& link : remains.links) {
      const double drop = x(static_cast<Index>(link.a), i) - x(static_cast<Index>(link.b), i);
      energy += drop * drop;
    }
    const double value = 2 * x(i, i) - x.col(i).squaredNorm() - ratio * energy;
    const double shift = sensitivity.value() / noise.sigma_gamma * std::sqrt(value);
    if (shift > worst.shift) worst = {shift, remains.parties[static_cast<std::size_t>(i)]};
  }
  return worst;
}

}  // namespace sotto
