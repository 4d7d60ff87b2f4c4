#include "solve/centred.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/decompositions.h"
#include "solve/target_posterior.h"

// Evidence over eleven beliefs about the slopes: one Cholesky factor for each.
namespace sotto {
namespace centred_fit {
namespace {

constexpr double kNoSlopes = 0.2;  // prior chance of "no slopes at all"
constexpr int kSizes = 5;
constexpr double kLog10SmallestSize = 0.25;
constexpr double kLog10LargestSize = 2;
constexpr double kMeanSd = 0.3;                // τ, of the prior for columns' means
constexpr double kLeastColumnVariance = 0.02;  // 1 − m², in the prior for columns
constexpr double kJitter = 1e-12;              // of V₀'s mean diagonal

// Centred moments of the columns, each multiplied by g so that their noise has one size.
struct Sums {
  solve::TargetPosterior target;
  Eigen::VectorXd g;
  Eigen::VectorXd m;        // the columns' means, before g
  double h = 0;             // N²·Var ȳ
  Eigen::MatrixXd unknown;  // N·Cov m
  Eigen::MatrixXd s1;       // what the true S is about, as seen from the noisy eigenvectors
  Eigen::MatrixXd x;        // how much ‖Sq‖² exceeds ‖S₁q‖² by
  Eigen::VectorXd r;
  Eigen::MatrixXd v0;  // Cov r without slopes
};

Eigen::VectorXd noise_scales(const Eigen::MatrixXd& sd) {
  const double least = sd.diagonal().minCoeff();
  if (least <= 0) return Eigen::VectorXd::Ones(sd.rows());
  return (least / sd.diagonal().array()).sqrt();
}

// κ of centred.h: what of ŝ is the columns' and not the noise's.
Eigen::ArrayXd shares_of_means(const Eigen::VectorXd& s, const Eigen::ArrayXd& variance, double n) {
  const double many = static_cast<double>(std::max<Eigen::Index>(s.size() - 2, 0));
  const double length = std::max(s.squaredNorm(), std::numeric_limits<double>::min());
  const double prior = kMeanSd * kMeanSd * n * n;
  return (1 - many / length * variance).max(prior / (prior + variance));
}

// m1 and m2 of centred.h.
solve::TrueMoments positive_moments(const Eigen::VectorXd& values, double sigma, double most) {
  const Eigen::Index d = values.size();
  const double variance = sigma * sigma;
  Eigen::VectorXd m1 = values.cwiseMax(0);
  for (Eigen::Index i = 0; i < d && sigma > 0; ++i) {
    const Eigen::ArrayXd distance = values(i) - values.array();
    const double pushed = variance * (distance / (distance.square() + variance)).sum();
    m1(i) = solve::mean_above_zero(values(i) - pushed, sigma);
  }
  if (m1.sum() > most) m1 *= most / m1.sum();
  const Eigen::ArrayXd root = (m1.array().square() + 2 * variance * static_cast<double>(d)).sqrt();
  return {.first = m1, .second = m1.array() * (m1.array() + root) / 2};
}

solve::TargetPosterior target_of(const TableSums& table, const Eigen::MatrixXd& sd_a,
                                 const Eigen::VectorXd& sd_b) {
  solve::TargetSums sums{.count = {table.sums.a(0, 0), sd_a(0, 0)},
                         .sum = {table.sums.b(0), sd_b(0)},
                         .squares = std::nullopt};
  if (table.squares_released) sums.squares = {table.sum_of_squares, table.sigma_c};
  return solve::target_posterior(sums);
}

Sums centre(const TableSums& table) {
  const NoisySums& sums = table.sums;
  const Eigen::Index d = sums.size() - 1;
  const Eigen::MatrixXd sd_a = sums.sd_a();
  const Eigen::VectorXd sd_b = sums.sd_b();
  Sums c;
  c.target = target_of(table, sd_a, sd_b);
  const double n = c.target.count;
  const double mean = c.target.mean;
  const Eigen::VectorXd s = sums.a.col(0).tail(d);
  const Eigen::VectorXd q = sums.b.tail(d);
  const Eigen::ArrayXd variance_s = sd_a.col(0).tail(d).array().square();
  const Eigen::ArrayXd share = shares_of_means(s, variance_s, n);
  const Eigen::VectorXd left = share * variance_s;  // Var s, given ŝ
  c.m = (share * s.array() / n).max(-1).min(1);
  const Eigen::MatrixXd sd_g = sd_a.bottomRightCorner(d, d);
  c.g = noise_scales(sd_g);
  const Eigen::MatrixXd gg = c.g * c.g.transpose();

  Eigen::MatrixXd centred = sums.a.bottomRightCorner(d, d) - n * c.m * c.m.transpose();
  centred.diagonal() -= left / n;
  c.r = c.g.cwiseProduct(q - n * mean * c.m);
  const double sigma = covering_sigma(sd_g.cwiseProduct(gg));
  const double most = n * c.g.cwiseAbs2().dot((1 - c.m.array().square()).matrix());
  const solve::SpectrumOfSums spectrum(centred.cwiseProduct(gg));
  const auto [m1, m2] = positive_moments(spectrum.values, sigma, std::max(most, 1e-6 * n));
  const auto in_columns = [&](const Eigen::VectorXd& along) -> Eigen::MatrixXd {
    return spectrum.vectors * along.asDiagonal() * spectrum.vectors.transpose();
  };
  c.s1 = in_columns(m1);
  c.x = in_columns(m2 - m1.cwiseAbs2());

  const double count_variance = std::pow(std::min(c.target.count_sd, sd_a(0, 0)), 2);
  const Eigen::VectorXd gm = c.g.cwiseProduct(c.m);
  c.unknown = count_variance / n * gm * gm.transpose();
  c.unknown.diagonal() += c.g.cwiseAbs2().cwiseProduct(left) / n;
  c.h = std::pow(sd_b(0), 2) + mean * mean * count_variance;
  c.v0 = c.target.spread / n * table.typical_weight * c.s1 + c.h * gm * gm.transpose();
  c.v0.diagonal() += c.g.cwiseAbs2().cwiseProduct(sd_b.tail(d).cwiseAbs2() + mean * mean * left);
  c.v0.diagonal().array() +=
      kJitter * c.v0.trace() / static_cast<double>(d) + std::numeric_limits<double>::min();
  return c;
}

// ln N(r; 0, V) but for a constant, and V⁻¹r.
struct Evidence {
  double log_density = 0;
  Eigen::VectorXd solved;
};

Evidence evidence_of(const Eigen::MatrixXd& v, const Eigen::VectorXd& r) {
  const Eigen::LLT<Eigen::MatrixXd> root(v);
  Evidence found;
  found.solved = root.solve(r);
  found.log_density = -root.matrixLLT().diagonal().array().log().sum() - r.dot(found.solved) / 2;
  return found;
}

struct Belief {
  double log_weight = 0;
  Eigen::VectorXd slopes;  // of the columns times g
  double moved = 0;        // the mean, from ȳ
};

std::vector<Belief> beliefs(const Sums& c) {
  const Eigen::Index d = c.r.size();
  std::array<double, kSizes> sizes{};
  double all_sizes = 0;
  for (int k = 0; k < kSizes; ++k) {
    const double size = std::pow(
        10, kLog10SmallestSize + (kLog10LargestSize - kLog10SmallestSize) * k / (kSizes - 1));
    sizes[static_cast<std::size_t>(k)] = size;
    all_sizes += 1 / size;
  }
  const Eigen::VectorXd towards = c.h / c.target.count * c.g.cwiseProduct(c.m);
  std::vector<Belief> found;
  const Evidence without = evidence_of(c.v0, c.r);
  found.push_back({std::log(kNoSlopes) + without.log_density, Eigen::VectorXd::Zero(d),
                   towards.dot(without.solved)});
  const Eigen::VectorXd alike = Eigen::VectorXd::Ones(d);
  const Eigen::VectorXd by_variance =
      (1 - c.m.array().square()).max(kLeastColumnVariance).inverse();
  for (const Eigen::VectorXd& prior : {alike, by_variance}) {
    const Eigen::VectorXd p = prior.cwiseQuotient(c.g.cwiseAbs2());
    const double explains_all =
        c.target.spread / std::max(p.dot(c.s1.diagonal()), std::numeric_limits<double>::min());
    const Eigen::MatrixXd signal = c.s1 * p.asDiagonal() * c.s1 + p.mean() * c.x;
    for (const double size : sizes) {
      const double scale = size * explains_all;
      if (!std::isfinite(scale)) continue;
      const Evidence evidence = evidence_of(c.v0 + scale * signal, c.r);
      found.push_back({std::log((1 - kNoSlopes) / 2 / size / all_sizes) + evidence.log_density,
                       scale * p.cwiseProduct(c.s1 * evidence.solved),
                       towards.dot(evidence.solved)});
    }
  }
  return found;
}

// (S₁ + N·Cov m)⁻¹S₁β, of slopes of the columns times g.
Eigen::VectorXd against_unknown_means(const Sums& c, const Eigen::VectorXd& slopes) {
  const Eigen::VectorXd found = (c.s1 + c.unknown).ldlt().solve(c.s1 * slopes);
  return found.allFinite() ? found : slopes;
}

}  // namespace
}  // namespace centred_fit

Result<Estimate> centred_noise_aware(const TableSums& table) {
  SOTTO_TRY(validate(table.sums));
  check(table.intercept, "only a table with an intercept can be centred");
  const Eigen::Index d = table.sums.size() - 1;
  Estimate estimate;
  if (d == 0) {
    const auto target = centred_fit::target_of(table, table.sums.sd_a(), table.sums.sd_b());
    estimate.theta = Eigen::VectorXd::Constant(1, target.mean);
    return estimate;
  }
  const centred_fit::Sums c = centred_fit::centre(table);
  const std::vector<centred_fit::Belief> beliefs = centred_fit::beliefs(c);
  double highest = beliefs[0].log_weight;
  for (const auto& belief : beliefs) {
    if (std::isfinite(belief.log_weight)) highest = std::max(highest, belief.log_weight);
  }
  double total = 0;
  double none = 0;  // of the first belief
  double moved = 0;
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(d);
  for (const auto& belief : beliefs) {
    const double weight = std::exp(belief.log_weight - highest);
    if (!std::isfinite(weight + belief.moved) || !belief.slopes.allFinite()) continue;
    if (&belief == &beliefs.front()) none = weight;
    total += weight;
    slopes += weight * belief.slopes;
    moved += weight * belief.moved;
  }
  check(total > 0, "some belief explains any sums");
  slopes = c.g.cwiseProduct(centred_fit::against_unknown_means(c, slopes / total));
  estimate.theta = Eigen::VectorXd(d + 1);
  const double mean = std::clamp(c.target.mean + c.target.known * moved / total, -1.0, 1.0);
  estimate.theta << mean - c.m.dot(slopes), slopes;
  if (none / total > centred_fit::kNoSlopes) {  // the sums do not speak for slopes
    estimate.warnings.push_back(
        fmt::format("The features hardly rise above the noise: with a chance of {:.0f} % they "
                    "explain nothing that can be seen, and the coefficients are shrunk to 0 "
                    "accordingly.",
                    100 * none / total));
  }
  return estimate;
}

}  // namespace sotto
