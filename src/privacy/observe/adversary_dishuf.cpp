#include <Eigen/Cholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "graph/spectrum.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/observe/adversary.h"
#include "privacy/observe/coalition.h"

// Who sees how much of `dishuf`: an eavesdropper by the eigenvalues of ζL_a, a coalition by least
// squares over the noise that it does not know.
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

// Δ√(1/(nσ_γ²) + (1−1/n)·max over [s₂, s_max]), the maximum at one of the ends.
double shuffle_shift_bound(const Graph& graph, const ShuffleNoise& noise, Sensitivity sensitivity) {
  const auto n = static_cast<double>(graph.size());
  const Spectrum of_graph = privacy::safe_spectrum(graph);
  const auto a_bar = static_cast<double>(noise.multiplier_max);
  const double product_share = a_bar * a_bar / noise.inverse_zeta.get_d();
  const double ratio = nearest_double(noise.sigma_eta / noise.sigma_gamma);
  const double worst = std::max(passed(0.5 * product_share * of_graph.lambda_2, ratio),
                                passed(product_share * of_graph.lambda_max, ratio));
  return sensitivity.value() / nearest_double(noise.sigma_gamma) *
         std::sqrt(1 / n + (1 - 1 / n) * worst);
}

namespace privacy {

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
  for (std::size_t e = 0; e < remains_.edges.size(); ++e) {
    const double weight = zeta_ * edge_products[remains_.edges[e]];
    const auto [a, b] = remains_.graph.edges()[e];
    if (column_[a] >= 0) {
      entries.emplace_back(static_cast<Index>(a), column_[a], weight);
      entries.emplace_back(static_cast<Index>(b), column_[a], -weight);
    }
    if (column_[b] >= 0) {
      entries.emplace_back(static_cast<Index>(b), column_[b], weight);
      entries.emplace_back(static_cast<Index>(a), column_[b], -weight);
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

namespace {

// With shared masks: a bound on cycles, a search over multipliers where no bound is known, and the
// all-neighbours row Δ√(1/σ_γ² + 1/σ_η²): the neighbours know y_i but for γ_i and, through the gcd
// of what they decrypt, T̄_i but for η_i. For one shuffle: a study that may give one up has a mask
// for every neighbour (E-dropout-shared).
Rows shared_rows(const ShuffleNoise& noise, const Watched& watched) {
  const Graph& graph = watched.graph;
  const Sensitivity sensitivity = watched.sensitivity;
  const double gamma_shift = sensitivity.value() / nearest_double(noise.sigma_gamma);
  // 0 for lemma1's σ_η past a double's range, infinite for σ_η = 0.
  const double eta_shift = sensitivity.value() / nearest_double(noise.sigma_eta);
  check(watched.attempts == 1, "shared masks are for one shuffle");
  const double ceiling = std::hypot(gamma_shift, eta_shift);
  const double r = sgn(noise.sigma_eta) == 0 ? std::numeric_limits<double>::infinity()
                                             : nearest_double(noise.sigma_gamma / noise.sigma_eta);
  const auto coalition = [&](std::size_t size) -> std::optional<Seen> {
    // One curious party on a cycle has a bound for every multiplier and any n (Claim 3).
    const LeverageBound bound =
        leverage_bound(graph, size, static_cast<double>(noise.multiplier_max), noise.inverse_zeta);
    const double leverage = bound.at_rest + bound.per_r2 * r * r;
    if (bound.at_rest < 1 && std::isfinite(leverage)) {
      return Seen{std::min(ceiling, gamma_shift * std::sqrt(leverage))};
    }
    if (!can_visit_coalitions(graph, size, kShuffleWork)) return std::nullopt;
    return Seen{gamma_shift * std::sqrt(search_worst_leakage(graph, noise, size)),
                RowMethod::kSearch};
  };
  return graded(watched, {shuffle_shift_bound(graph, noise, sensitivity)}, ceiling, coalition);
}

// The bound for every multiplier. What some see, more see too: no row is above a later one's.
Rows per_neighbour_rows(const ShuffleNoise& noise, const Watched& watched) {
  const Graph& graph = watched.graph;
  const auto worst = [&](std::size_t size) -> std::optional<double> {
    const auto all = surroundings(graph, size);
    if (!all) return std::nullopt;
    double shift = 0;
    for (const Surroundings& around : *all) {
      const double looks = looks_after(watched.attempts, around);
      shift = std::max(shift, per_neighbour_shift(around, noise, watched.sensitivity, looks));
    }
    return shift;
  };
  const Surroundings alone{.honest = 1, .curious = graph.max_degree()};
  const double ceiling =
      per_neighbour_shift(alone, noise, watched.sensitivity, looks_after(watched.attempts, alone));
  // The bound for a size, or what all neighbours see; never more than what more of them see.
  const auto at_most = [&](const Seen& more, std::optional<double> shift) {
    return shift && *shift <= more.shift ? Seen{*shift} : more;
  };
  Seen colluders{ceiling, RowMethod::kCeiling};
  if (watched.colluders > 0) {
    const auto shift = worst(watched.colluders);
    if (!shift && watched.colluders > 1) return unbounded_coalitions(graph, watched.colluders);
    colluders = at_most(colluders, shift);
  }
  const Seen neighbour = watched.colluders == 1 ? colluders : at_most(colluders, worst(1));
  const Seen eavesdropper = at_most(neighbour, worst(0));
  return graded(watched, eavesdropper, ceiling, [&](std::size_t size) -> std::optional<Seen> {
    return size == 1 ? neighbour : colluders;
  });
}

}  // namespace

Rows rows_of(const ShuffleNoise& noise, const Watched& watched) {
  SOTTO_TRY(require_network(watched.graph));
  SOTTO_TRY(require_honest_party(watched.graph, watched.colluders));
  return noise.masks == ShuffleMasks::kShared ? shared_rows(noise, watched)
                                              : per_neighbour_rows(noise, watched);
}

}  // namespace privacy

namespace {

// A masked value, as shift².
double look_at(const ShuffleNoise& noise, Sensitivity sensitivity) {
  return std::pow(sensitivity.value() / nearest_double(noise.sigma_eta), 2);
}

}  // namespace

std::vector<double> looks_table(const Graph& graph, const Noise& noise, Sensitivity sensitivity,
                                std::span<const Adversary> table) {
  std::vector<double> squares;
  const auto* shuffle = std::get_if<ShuffleNoise>(&noise);
  for (const Adversary& adversary : table) {
    std::size_t looks = 0;
    switch (adversary.observer) {
      case Observer::kEavesdropper:
        break;
      case Observer::kNeighbour:
        looks = 1;
        break;
      case Observer::kColluders:
        looks = std::min(adversary.colluders, graph.max_degree());
        break;
      case Observer::kAllNeighbours:
        looks = graph.max_degree();
        break;
    }
    if (shuffle == nullptr) {
      looks = 0;
    } else if (shuffle->masks == ShuffleMasks::kShared) {
      looks = std::min<std::size_t>(looks, 1);  // however many see it, it is one value
    }
    squares.push_back(looks == 0 ? 0
                                 : rounded_up(static_cast<double>(looks) *
                                              rounded_up(look_at(*shuffle, sensitivity))));
  }
  return squares;
}

// One edge shows the difference of two masks. A mask that all neighbours share is on other edges
// too, where it may cancel: all that they release is made of T̄_j, so it shows no more than a look.
double release_of_lost_neighbour(const Noise& noise, Sensitivity sensitivity) {
  const auto* shuffle = std::get_if<ShuffleNoise>(&noise);
  if (shuffle == nullptr) return 0;
  const double look = look_at(*shuffle, sensitivity);
  return rounded_up(shuffle->masks == ShuffleMasks::kShared ? look : look / 2);
}

}  // namespace sotto
