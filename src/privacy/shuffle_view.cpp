#include <Eigen/Cholesky>
#include <Eigen/SparseCore>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "privacy/coalition.h"

namespace sotto {

ShuffleView::ShuffleView(const Graph& graph, const ShuffleNoise& noise,
                         std::span<const PartyId> coalition)
    : remains_(without(graph, coalition)), zeta_(1 / noise.inverse_zeta.get_d()) {
  constexpr double kLimit = 1e-150;
  check(!coalition.empty(), "a coalition has members");
  check(graph.connected(), "the graph is in one piece");
  for (const bool on_boundary : remains_.boundary) {
    column_.push_back(on_boundary ? -1 : columns_++);
  }
  if (sgn(noise.sigma_eta) == 0) {
    ratio_ = std::numeric_limits<double>::infinity();
  } else {
    ratio_ = nearest_double(noise.sigma_gamma / noise.sigma_eta);
    if (ratio_ < kLimit) ratio_ = 0;
    if (ratio_ > 1 / kLimit) ratio_ = std::numeric_limits<double>::infinity();
  }
}

// u solves (ζ²KᵀK + r²I)u = ζKᵀm. Every component of H has a party of B (the
// graph is connected), so K's columns are independent even where r = 0.
std::vector<double> ShuffleView::leakage(std::span<const double> edge_products,
                                         std::span<const std::size_t> targets) const {
  using Eigen::Index;
  using Eigen::MatrixXd;
  const auto rows = static_cast<Index>(remains_.parties.size());
  const auto count = static_cast<Index>(targets.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& link : remains_.links) {
    const double weight = zeta_ * edge_products[link.edge];
    const auto a = static_cast<Index>(link.a);
    const auto b = static_cast<Index>(link.b);
    if (column_[link.a] >= 0) {
      entries.emplace_back(a, column_[link.a], weight);
      entries.emplace_back(b, column_[link.a], -weight);
    }
    if (column_[link.b] >= 0) {
      entries.emplace_back(b, column_[link.b], weight);
      entries.emplace_back(a, column_[link.b], -weight);
    }
  }
  Eigen::SparseMatrix<double> k(rows, columns_);  // ζK
  k.setFromTriplets(entries.begin(), entries.end());

  MatrixXd m = MatrixXd::Zero(rows, count);  // e_i − ζL_{·i} for i ∈ I, e_i for i ∈ B
  for (Index t = 0; t < count; ++t) {
    const std::size_t target = targets[static_cast<std::size_t>(t)];
    m(static_cast<Index>(target), t) = 1;
    if (column_[target] >= 0) m.col(t) -= k.col(column_[target]);
  }

  MatrixXd residual = m;
  MatrixXd u = MatrixXd::Zero(columns_, count);
  const bool hidden = columns_ > 0 && std::isfinite(ratio_);
  if (hidden) {
    const Eigen::SparseMatrix<double> kt = k.transpose();
    MatrixXd normal = MatrixXd(kt * k);
    normal.diagonal().array() += ratio_ * ratio_;
    const Eigen::LLT<MatrixXd> factor(normal);
    check(factor.info() == Eigen::Success, "ζ²KᵀK + r²I is positive definite");
    for (int step = 0; step < 2; ++step) {  // the second refines the first
      u += factor.solve(kt * residual - ratio_ * ratio_ * u);
      residual = m - k * u;
    }
  }
  std::vector<double> result;
  for (Index t = 0; t < count; ++t) {
    double value = residual.col(t).squaredNorm();
    if (hidden) value += ratio_ * ratio_ * u.col(t).squaredNorm();
    if (column_[targets[static_cast<std::size_t>(t)]] < 0) value += ratio_ * ratio_;
    result.push_back(value);
  }
  return result;
}

ShuffleView::Worst ShuffleView::worst(std::span<const double> edge_products) const {
  std::vector<std::size_t> everybody(remains_.parties.size());
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  const std::vector<double> all = leakage(edge_products, everybody);
  Worst worst;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] > worst.leakage) worst = {all[i], i};
  }
  return worst;
}

}  // namespace sotto
