#include <Eigen/Eigenvalues>
#include <cmath>

#include "base/check.h"
#include "graph/spectrum.h"
#include "privacy/adversary.h"
#include "privacy/coalition.h"
#include "privacy/parameter_checks.h"

namespace sotto {
namespace {

// (1−s)²/(1 + (σ_η/σ_γ)²s²): what one eigenvalue s of ζL_a lets through, times σ_γ².
// σ_η/σ_γ may be infinite (lemma1, past a double's range): then nothing for s > 0.
double passed(double s, double ratio) {
  if (s == 0) return 1;
  const double hidden = s * ratio;
  return (1 - s) * (1 - s) / (1 + hidden * hidden);
}

}  // namespace

// With L_a = Σ λ_k q_k q_kᵀ and s_k = ζλ_k, party i's v = (I − ζL_a)e_i and
// C = σ_γ²I + σ_η²(ζL_a)² give vᵀC⁻¹v = Σ_k (q_k)_i² (1−s_k)²/(σ_γ²+σ_η²s_k²).
double shuffle_shift(const Graph& graph, const ShuffleNoise& noise, Sensitivity sensitivity,
                     std::span<const double> edge_products) {
  check(graph.connected(), "the graph is in one piece");
  const double zeta = 1 / noise.inverse_zeta.get_d();
  const double ratio = nearest_double(noise.sigma_eta / noise.sigma_gamma);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(laplacian(graph, edge_products)));
  check(eigen.info() == Eigen::Success, "a symmetric matrix has eigenvalues");
  Eigen::VectorXd through(eigen.eigenvalues().size());
  // The graph is connected, so the first eigenvalue is 0; what is computed for
  // it is rounding, which a large σ_η would magnify.
  through(0) = 1;
  for (Eigen::Index k = 1; k < through.size(); ++k) {
    through(k) = passed(zeta * eigen.eigenvalues()(k), ratio);
  }
  const double worst = (eigen.eigenvectors().cwiseAbs2() * through).maxCoeff();
  return sensitivity.value() / nearest_double(noise.sigma_gamma) * std::sqrt(worst);
}

// Δ√(1/(nσ_γ²) + (1−1/n)·max over [s₂, s_max]), the maximum at one of the ends.
double shuffle_shift_bound(const Graph& graph, const ShuffleNoise& noise, Sensitivity sensitivity) {
  const auto n = static_cast<double>(graph.size());
  const Spectrum of_graph = safe_spectrum(graph);
  const auto a_bar = static_cast<double>(noise.multiplier_max);
  const double product_share = a_bar * a_bar / noise.inverse_zeta.get_d();
  const double ratio = nearest_double(noise.sigma_eta / noise.sigma_gamma);
  const double worst = std::max(passed(0.5 * product_share * of_graph.lambda_2, ratio),
                                passed(product_share * of_graph.lambda_max, ratio));
  return sensitivity.value() / nearest_double(noise.sigma_gamma) *
         std::sqrt(1 / n + (1 - 1 / n) * worst);
}

WorstParty shuffle_coalition_shift(const Graph& graph, const ShuffleNoise& noise,
                                   Sensitivity sensitivity, std::span<const double> edge_products,
                                   std::span<const PartyId> coalition) {
  check(edge_products.size() == graph.edges().size(), "there is one product for each edge");
  const ShuffleView view(graph, noise, coalition);
  const auto worst = view.worst(edge_products);
  return {sensitivity.value() / nearest_double(noise.sigma_gamma) * std::sqrt(worst.leakage),
          view.remains().parties[worst.target]};
}

}  // namespace sotto
