#include "solve/structure.h"

#include <algorithm>
#include <cmath>

#include "solve/estimators.h"

// Second moments about the means, and what noise does to them.
namespace sotto {
namespace {

constexpr double kFailure = 0.05;  // that noise is taken for a component

// Columns about their means, in units where every column's bounds are [−1, 1].
struct Centred {
  double rows = 0;
  Eigen::MatrixXd s;
  Eigen::MatrixXd noise_sd;  // of the moments of (1, columns)
  Eigen::MatrixXd v;         // a row for each column: S's noise is VEVᵀ
};

Result<Centred> centred(const Release& release, const std::vector<Eigen::Index>& columns) {
  if (!release.schema.intercept) {
    return bad_input("E-refit-intercept",
                     "without an intercept the columns' means are not released",
                     "a study with an intercept");
  }
  std::vector<Eigen::Index> all{0};
  all.insert(all.end(), columns.begin(), columns.end());
  const Eigen::VectorXd units = release.scales()(all).cwiseInverse();
  const Eigen::MatrixXd factors = units * units.transpose();
  const Eigen::MatrixXd m = release.moments(all, all).cwiseProduct(factors);
  Centred found;
  found.noise_sd = release.noise_sd(all, all).cwiseProduct(factors);
  found.rows = m(0, 0);
  if (found.rows <= std::max(solve::kClearly * found.noise_sd(0, 0), 1.0)) {
    return failed("E-refit-rows", "the noise hides how many rows there are",
                  "more rows, or a larger ε");
  }
  const auto p = static_cast<Eigen::Index>(columns.size());
  const Eigen::VectorXd means = m.col(0).tail(p) / found.rows;
  found.v = Eigen::MatrixXd(p, p + 1);
  found.v << -means, Eigen::MatrixXd::Identity(p, p);
  found.s = m.bottomRightCorner(p, p) - found.rows * means * means.transpose();
  found.s.diagonal() += found.noise_sd.col(0).tail(p).cwiseAbs2() / found.rows;
  return found;
}

Eigen::MatrixXd symmetric_product(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a * b.transpose() + b * a.transpose()) / 2;
}

Correlation correlation(const Centred& c, Eigen::Index j, Eigen::Index k) {
  if (j == k) return {.value = 1};
  const double sj = c.s(j, j);
  const double sk = c.s(k, k);
  const std::vector<Eigen::Index> three{0, j + 1, k + 1};
  const Eigen::MatrixXd sd = c.noise_sd(three, three);
  const Eigen::Vector3d vj(c.v(j, 0), 1, 0);
  const Eigen::Vector3d vk(c.v(k, 0), 0, 1);
  const auto clear = [&](double s, const Eigen::Vector3d& v) {
    return s > solve::kClearly * std::sqrt(noise_variance(sd, v * v.transpose())) && s > 0;
  };
  if (!clear(sj, vj) || !clear(sk, vk)) return {.known = false};
  const double scale = std::sqrt(sj * sk);
  const double r = std::clamp(c.s(j, k) / scale, -1.0, 1.0);
  const Eigen::MatrixXd change = symmetric_product(vj, vk) / scale -
                                 r / 2 * (vj * vj.transpose() / sj + vk * vk.transpose() / sk);
  const double drawn = std::pow(1 - r * r, 2) / c.rows;
  return {.value = r, .standard_error = std::sqrt(drawn + noise_variance(sd, change))};
}

// ℓ such that noise alone makes of qᵀŜq at most Σ_k ℓ_k(Vᵀq)_k², for all axes q at once.
Eigen::VectorXd noise_limits(const Centred& c) {
  const Eigen::VectorXd sd = c.noise_sd.diagonal();
  const bool even = (sd.array() > 0).all();
  const Eigen::VectorXd weights = even ? sd : Eigen::VectorXd::Ones(sd.size()).eval();
  const Eigen::VectorXd units = weights.cwiseSqrt().cwiseInverse();
  const double sigma = covering_sigma(c.noise_sd.cwiseProduct((units * units.transpose()).eval()));
  return solve::noise_bound(sigma, sd.size(), kFailure) * weights;
}

}  // namespace

Result<Correlations> correlations(const Release& release,
                                  const std::vector<Eigen::Index>& columns) {
  SOTTO_ASSIGN(const auto c, centred(release, columns));
  Correlations found{.columns = columns};
  for (Eigen::Index j = 0; j < c.s.rows(); ++j) {
    auto& row = found.entries.emplace_back();
    for (Eigen::Index k = 0; k < c.s.rows(); ++k) row.push_back(correlation(c, j, k));
  }
  return found;
}

Result<Components> components(const Release& release, const std::vector<Eigen::Index>& columns) {
  SOTTO_ASSIGN(const auto c, centred(release, columns));
  const solve::SpectrumOfSums spectrum(c.s);
  const solve::TrueMoments moments =
      solve::true_moments(spectrum.values, covering_sigma(c.noise_sd));
  const Eigen::VectorXd limits = noise_limits(c);
  const double total = moments.first.sum();
  Components found{.columns = columns, .components = {}};
  for (Eigen::Index k = c.s.rows() - 1; k >= 0; --k) {
    Eigen::VectorXd axis = spectrum.vectors.col(k);
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis(largest) < 0) axis = -axis;
    const Eigen::VectorXd seen = c.v.transpose() * axis;
    const double variance = moments.first(k) / c.rows;
    const double noise = noise_variance(c.noise_sd, seen * seen.transpose()) / (c.rows * c.rows);
    found.components.push_back(
        {.variance = variance,
         .standard_error = std::sqrt(2 * variance * variance / c.rows + noise),
         .share = total > 0 ? moments.first(k) / total : 0,
         .above_noise = spectrum.values(k) > limits.dot(seen.cwiseAbs2()),
         .loadings = std::move(axis)});
  }
  return found;
}

}  // namespace sotto
