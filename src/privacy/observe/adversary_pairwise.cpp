#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "privacy/observe/adversary.h"
#include "privacy/observe/coalition.h"

// Who sees how much of `pairwise`: a coalition takes its own edges' masks away, and what is left of
// the graph hides the others.
namespace sotto {

// √(e_iᵀC⁻¹e_i) with C = σ_γ²I + σ_edge²·L of the graph left over. As
//
//     e_iᵀC⁻¹e_i = max_x 2x_i − xᵀCx,    xᵀLx = Σ_edges (x_a − x_b)²,
//
// evaluated at the computed x = C⁻¹e_i, whose error counts only squared.
WorstParty pairwise_coalition_shift(const Graph& graph, const PairwiseNoise& noise,
                                    Sensitivity sensitivity, std::span<const PartyId> coalition) {
  using Eigen::Index;
  check(coalition.size() < graph.size(), "somebody is honest");
  const privacy::Remains remains = privacy::without(graph, coalition);
  // In units of σ_γ, so that C = I + (σ_edge/σ_γ)²L.
  const double ratio = std::pow(noise.sigma_edge / noise.sigma_gamma, 2);
  const auto n = static_cast<Index>(remains.parties.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n);
  for (const Edge& edge : remains.graph.edges()) {
    const auto a = static_cast<Index>(edge.a);
    const auto b = static_cast<Index>(edge.b);
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
    for (const Edge& edge : remains.graph.edges()) {
      const double drop = x(static_cast<Index>(edge.a), i) - x(static_cast<Index>(edge.b), i);
      energy += drop * drop;
    }
    const double value = 2 * x(i, i) - x.col(i).squaredNorm() - ratio * energy;
    const double shift = sensitivity.value() / noise.sigma_gamma * std::sqrt(value);
    if (shift > worst.shift) worst = {shift, remains.parties[static_cast<std::size_t>(i)]};
  }
  return worst;
}

// Where the coalitions are too many to look at, λ₂ of what they leave bounds them:
// docs/proofs/pairwise.md.
privacy::Rows privacy::rows_of(const PairwiseNoise& noise, const Watched& watched) {
  const Graph& graph = watched.graph;
  const Sensitivity sensitivity = watched.sensitivity;
  SOTTO_TRY(require_network(graph));
  SOTTO_TRY(require_honest_party(graph, watched.colluders));
  const double gamma_shift = sensitivity.value() / noise.sigma_gamma;
  const double ratio = std::pow(noise.sigma_edge / noise.sigma_gamma, 2);
  const auto bound = [&](std::size_t honest, double lambda_2) {
    const double share = 1 / static_cast<double>(honest);
    return gamma_shift * std::sqrt(share + (1 - share) / (1 + ratio * lambda_2));
  };
  const auto coalition = [&](std::size_t size) -> std::optional<Seen> {
    if (!can_visit_coalitions(graph, size, kPairwiseWork)) {
      const auto lambda_2 = smallest_lambda_2(graph, size);
      if (!lambda_2) return std::nullopt;
      return Seen{bound(graph.size() - size, *lambda_2)};
    }
    double worst = 0;
    for_each_coalition(graph, size, [&](std::span<const PartyId> members) {
      worst = std::max(worst, pairwise_coalition_shift(graph, noise, sensitivity, members).shift);
    });
    return Seen{worst};
  };
  return graded(watched, {bound(graph.size(), safe_spectrum(graph).lambda_2)}, gamma_shift,
                coalition);
}

}  // namespace sotto
