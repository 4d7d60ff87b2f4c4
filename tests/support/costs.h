#pragma once

// Quadratic costs for the tests of gradient tracking.

#include <Eigen/Dense>
#include <algorithm>
#include <complex>
#include <vector>

#include "base/decompositions.h"
#include "base/random.h"
#include "graph/spectrum.h"
#include "privacy/seal.h"
#include "protocol/gt.h"
#include "support/parties.h"

namespace sotto::protocol_test {

// G_i = I/2 + RRᵀ with R in [−1, 1)^{m×m}; H_i in [−1, 1)^m.
inline std::vector<PerturbedCost> random_costs(std::size_t parties, std::size_t dimension,
                                               RandomSource& random) {
  const auto m = static_cast<Eigen::Index>(dimension);
  std::vector<PerturbedCost> costs;
  for (std::size_t i = 0; i < parties; ++i) {
    Eigen::MatrixXd root(m, m);
    Eigen::VectorXd h(m);
    for (double& entry : root.reshaped()) entry = small_number(random);
    for (double& entry : h) entry = small_number(random);
    costs.push_back({Eigen::MatrixXd::Identity(m, m) / 2 + root * root.transpose(), h});
  }
  return costs;
}

inline std::vector<Eigen::MatrixXd> matrices_of(const std::vector<PerturbedCost>& costs) {
  std::vector<Eigen::MatrixXd> result;
  for (const PerturbedCost& cost : costs) result.push_back(cost.g);
  return result;
}

// −(ΣG_i)⁻¹ΣH_i
inline Eigen::VectorXd minimiser_of(const std::vector<PerturbedCost>& costs) {
  Eigen::MatrixXd g = costs[0].g;
  Eigen::VectorXd h = costs[0].h;
  for (std::size_t i = 1; i < costs.size(); ++i) {
    g += costs[i].g;
    h += costs[i].h;
  }
  return -solve_symmetric(g, h);
}

// M written out in full, and its m eigenvalues nearest to 1 left out.
inline double radius_by_definition(const Weights& weights, const std::vector<Eigen::MatrixXd>& g,
                                   double step) {
  const Eigen::Index m = g[0].rows();
  const auto n = static_cast<Eigen::Index>(g.size());
  const Eigen::MatrixXd l(laplacian(weights.graph(), weights.per_edge()));
  Eigen::MatrixXd big = Eigen::MatrixXd::Zero(2 * n * m, 2 * n * m);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::MatrixXd& gi = g[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < n; ++j) {
      const double w = (i == j ? 1.0 : 0.0) - l(i, j);
      big.block(i * m, j * m, m, m) = w * Eigen::MatrixXd::Identity(m, m);
      big.block((n + i) * m, (n + j) * m, m, m) = w * Eigen::MatrixXd::Identity(m, m);
      big.block((n + i) * m, j * m, m, m) = -l(i, j) * gi;
    }
    big.block(i * m, (n + i) * m, m, m) = -step * Eigen::MatrixXd::Identity(m, m);
    big.block((n + i) * m, (n + i) * m, m, m) -= step * gi;
  }
  const Eigen::VectorXcd values = protocol::eigenvalues(big);
  std::vector<std::complex<double>> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, {}, [](std::complex<double> z) { return std::abs(z - 1.0); });
  double radius = 0;
  for (std::size_t k = static_cast<std::size_t>(m); k < sorted.size(); ++k) {
    radius = std::max(radius, std::abs(sorted[k]));
  }
  return radius;
}

}  // namespace sotto::protocol_test
