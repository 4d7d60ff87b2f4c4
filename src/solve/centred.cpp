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
constexpr double kLeastColumnVariance = 0.02;  // 1 − m², in the prior for columns
constexpr double kJitter = 1e-12;              // of V₀'s mean diagonal

// Centred moments of the columns, each multiplied by g so that their noise has one size.
struct Sums {
  solve::TargetPosterior target;
  Eigen::VectorXd g;
  Eigen::VectorXd m;   // the columns' means, before g
  Eigen::MatrixXd s1;  // what the true S is about, as seen from the noisy eigenvectors
  Eigen::MatrixXd x;   // how much ‖Sq‖² exceeds ‖S₁q‖² by
  Eigen::VectorXd r;
  Eigen::MatrixXd v0;  // Cov r without slopes
};

Eigen::VectorXd noise_scales(const Eigen::MatrixXd& sd) {
  const double least = sd.diagonal().minCoeff();
  if (least <= 0) return Eigen::VectorXd::Ones(sd.rows());
  return (least / sd.diagonal().array()).sqrt();
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
  c.m = (s / n).cwiseMax(-1).cwiseMin(1);
  const Eigen::MatrixXd sd_g = sd_a.bottomRightCorner(d, d);
  c.g = noise_scales(sd_g);
  const Eigen::MatrixXd gg = c.g * c.g.transpose();

  const Eigen::MatrixXd cross = s * c.m.transpose();
  const Eigen::MatrixXd centred =
      (sums.a.bottomRightCorner(d, d) - cross - cross.transpose() + n * c.m * c.m.transpose())
          .cwiseProduct(gg);
  c.r = c.g.cwiseProduct(q - c.m * sums.b(0) - s * mean + n * mean * c.m);
  const double sigma = covering_sigma(sd_g.cwiseProduct(gg));
  const double most = n * c.g.cwiseAbs2().dot((1 - c.m.array().square()).matrix());
  const solve::SpectrumOfSums spectrum(centred);
  const auto [m1, m2] = positive_moments(spectrum.values, sigma, std::max(most, 1e-6 * n));
  const auto in_columns = [&](const Eigen::VectorXd& along) -> Eigen::MatrixXd {
    return spectrum.vectors * along.asDiagonal() * spectrum.vectors.transpose();
  };
  c.s1 = in_columns(m1);
  c.x = in_columns(m2 - m1.cwiseAbs2());

  const double count_variance = std::pow(std::min(c.target.count_sd, sd_a(0, 0)), 2);
  const Eigen::VectorXd gm = c.g.cwiseProduct(c.m);
  c.v0 = c.target.spread / n * table.typical_weight * c.s1 +
         (std::pow(sd_b(0), 2) + mean * mean * count_variance) * gm * gm.transpose();
  c.v0.diagonal() += c.g.cwiseAbs2().cwiseProduct(sd_b.tail(d).cwiseAbs2() +
                                                  mean * mean * sd_a.col(0).tail(d).cwiseAbs2());
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
  std::vector<Belief> found;
  found.push_back(
      {std::log(kNoSlopes) + evidence_of(c.v0, c.r).log_density, Eigen::VectorXd::Zero(d)});
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
                       scale * p.cwiseProduct(c.s1 * evidence.solved)});
    }
  }
  return found;
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
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(d);
  for (const auto& belief : beliefs) {
    const double weight = std::exp(belief.log_weight - highest);
    if (!std::isfinite(weight) || !belief.slopes.allFinite()) continue;
    if (&belief == &beliefs.front()) none = weight;
    total += weight;
    slopes += weight * belief.slopes;
  }
  check(total > 0, "some belief explains any sums");
  slopes = c.g.cwiseProduct(slopes) / total;
  estimate.theta = Eigen::VectorXd(d + 1);
  estimate.theta << c.target.mean - c.m.dot(slopes), slopes;
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
