#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "solve/fit.h"

// How much a model explains, by Stein's identity: its divergences are probed along random
// directions.
namespace sotto {
namespace {

constexpr std::uint64_t kProbeSeed = 20;
constexpr double kProbeStep = 0.1;  // in standard deviations of the noise
constexpr double kProbeWork = 1e8;  // d³ operations in all, about

struct Divergences {
  double b = 0;        // σ_B²·div_b θ
  double a = 0;        // σ_A²·div_A θθᵀ
  double b_error = 0;  // standard errors of these
  double a_error = 0;
};

// A draw of Â's noise.
Eigen::MatrixXd normal_matrix(const Eigen::MatrixXd& sd, StandardNormal& normal) {
  Eigen::MatrixXd z(sd.rows(), sd.cols());
  for (Eigen::Index r = 0; r < sd.rows(); ++r) {
    for (Eigen::Index c = r; c < sd.cols(); ++c) z(r, c) = z(c, r) = sd(r, c) * normal();
  }
  return z;
}

std::optional<Divergences> probe(const Fitter& fitter, const NoisySums& sums) {
  const Eigen::Index d = sums.size();
  const auto probes =
      static_cast<int>(std::clamp(kProbeWork / std::pow(static_cast<double>(d), 3), 4.0, 200.0));
  StandardNormal normal(kProbeSeed);
  const Eigen::MatrixXd sd_a = sums.sd_a();
  const Eigen::VectorXd sd_b = sums.sd_b();
  double sum_b = 0;
  double sum_a = 0;
  double square_b = 0;
  double square_a = 0;
  for (int k = 0; k < probes; ++k) {
    const Eigen::MatrixXd z = normal_matrix(sd_a, normal);
    Eigen::VectorXd direction = sd_b;
    for (double& entry : direction) entry *= normal();
    auto moved = [&](double step) {
      NoisySums there = sums;
      there.a += step * z;
      there.b += step * direction;
      return fitter(there);
    };
    const auto forth = moved(kProbeStep);
    const auto back = moved(-kProbeStep);
    if (!forth || !back) return std::nullopt;
    const double b = direction.dot(forth->theta - back->theta) / (2 * kProbeStep);
    const double a =
        (forth->theta.dot(z * forth->theta) - back->theta.dot(z * back->theta)) / (2 * kProbeStep);
    sum_b += b;
    sum_a += a;
    square_b += b * b;
    square_a += a * a;
  }
  const double n = probes;
  auto error = [n](double sum, double square) {
    return std::sqrt(std::max(0.0, square / n - sum * sum / (n * n)) / n);
  };
  return Divergences{.b = sum_b / n,
                     .a = sum_a / n,
                     .b_error = error(sum_b, square_b),
                     .a_error = error(sum_a, square_a)};
}

}  // namespace

std::optional<Explained> explained_variance(const Fitter& fitter, const Eigen::VectorXd& theta,
                                            const TableSums& table) {
  if (!table.squares_released) return std::nullopt;
  const NoisySums& sums = table.sums;
  const Eigen::MatrixXd sd_a = sums.sd_a();
  const Eigen::VectorXd variance_b = sums.sd_b().cwiseAbs2();
  Eigen::VectorXd trivial = Eigen::VectorXd::Zero(sums.size());
  double explained_by_mean = 0;
  if (table.intercept) {
    if (sums.a(0, 0) <= solve::kClearly * sd_a(0, 0)) return std::nullopt;
    trivial(0) = sums.b(0) / sums.a(0, 0);
    explained_by_mean = (sums.b(0) * sums.b(0) - variance_b(0)) / sums.a(0, 0);
  }
  const double total = table.sum_of_squares - explained_by_mean;
  const double total_variance = std::pow(table.sigma_c, 2) +
                                4 * variance_b.dot(trivial.cwiseAbs2()) +
                                noise_variance(sd_a, trivial * trivial.transpose());
  if (total <= solve::kClearly * std::sqrt(total_variance)) return std::nullopt;
  const auto divergences = probe(fitter, sums);
  if (!divergences) return std::nullopt;

  const double gain = 2 * theta.dot(sums.b) - theta.dot(sums.a * theta) - 2 * divergences->b +
                      divergences->a - explained_by_mean;
  const Eigen::MatrixXd square_difference =
      theta * theta.transpose() - trivial * trivial.transpose();
  const double variance = 4 * variance_b.dot((theta - trivial).cwiseAbs2()) +
                          noise_variance(sd_a, square_difference) +
                          4 * std::pow(divergences->b_error, 2) + std::pow(divergences->a_error, 2);
  const double share = gain / total;
  const double spread = kInterval95 * std::sqrt(variance + share * share * total_variance) / total;
  return Explained{.share = share, .low = share - spread, .high = share + spread};
}

}  // namespace sotto
