#pragma once

// What observers of `dishuf` see when the multipliers are known, exactly: for given products
// a_{i→j}a_{j→i} per edge, where plans state bounds over every draw of them.

#include <Eigen/Eigenvalues>
#include <cmath>

#include "base/check.h"
#include "graph/spectrum.h"
#include "privacy/observe/adversary.h"
#include "privacy/observe/coalition.h"

namespace sotto {

// With shared masks. The eavesdropper: the largest √(vᵀC⁻¹v) over the parties, v the shift and C
// the covariance of y(0). With L_a = Σ λ_k q_k q_kᵀ and s_k = ζλ_k, party i's v = (I − ζL_a)e_i and
// C = σ_γ²I + σ_η²(ζL_a)² give vᵀC⁻¹v = Σ_k (q_k)_i² (1−s_k)²/(σ_γ²+σ_η²s_k²).
inline double shuffle_shift(const Graph& graph, const ShuffleNoise& noise, Sensitivity sensitivity,
                            std::span<const double> edge_products) {
  check(graph.connected(), "the graph is in one piece");
  const double zeta = 1 / noise.inverse_zeta.get_d();
  const double ratio = nearest_double(noise.sigma_eta / noise.sigma_gamma);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(laplacian(graph, edge_products)));
  Eigen::VectorXd through(eigen.eigenvalues().size());
  // The graph is connected, so the first eigenvalue is 0; what is computed for
  // it is rounding, which a large σ_η would magnify.
  through(0) = 1;
  for (Eigen::Index k = 1; k < through.size(); ++k) {
    const double s = zeta * eigen.eigenvalues()(k);
    through(k) = (1 - s) * (1 - s) / (1 + std::pow(s * ratio, 2));
  }
  const double worst = (eigen.eigenvectors().cwiseAbs2() * through).maxCoeff();
  return sensitivity.value() / nearest_double(noise.sigma_gamma) * std::sqrt(worst);
}

// A coalition pooling all it holds, plus the eavesdropper (docs/proofs/coalition.md).
inline WorstParty shuffle_coalition_shift(const Graph& graph, const ShuffleNoise& noise,
                                          Sensitivity sensitivity,
                                          std::span<const double> edge_products,
                                          std::span<const PartyId> coalition) {
  check(edge_products.size() == graph.edges().size(), "there is one product for each edge");
  const privacy::ShuffleView view(graph, noise, coalition);
  const auto worst = view.worst(edge_products);
  return {sensitivity.value() / nearest_double(noise.sigma_gamma) * std::sqrt(worst.leakage),
          view.remains().parties[worst.target]};
}

}  // namespace sotto
