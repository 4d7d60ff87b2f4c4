#include "solve/adassp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace sotto {

namespace {

tl::unexpected<Error> bad_budget(double first, double delta) {
  return bad_input("E-adassp-budget", fmt::format("a budget of {} with δ = {}", first, delta),
                   "a positive ε or κ̄ and a δ between 0 and 1");
}

bool usable(double positive, double delta) {
  return std::isfinite(positive) && positive > 0 && delta > 0 && delta < 1;
}

}  // namespace

double noise_bound(double sigma, Eigen::Index d, double failure) {
  return sigma * (std::sqrt(2 * static_cast<double>(d)) + std::sqrt(-2 * std::log(failure)));
}

Estimate ridge_of_projection(const NoisySums& sums, const SpectrumOfSums& spectrum, double lambda) {
  const Eigen::VectorXd values = spectrum.values.cwiseMax(0).array() + lambda;
  SpectralSolution solution = minimum_norm(values, spectrum.vectors, sums.b);
  Estimate found;
  found.theta = std::move(solution.theta);
  found.ridge = lambda;
  if (solution.dropped > 0) {
    found.warnings.push_back(
        fmt::format("The sums are singular in {} of {} directions; of all solutions this is the "
                    "shortest.",
                    solution.dropped, sums.size()));
  }
  return found;
}

Result<Estimate> adassp(const NoisySums& sums) {
  if (auto valid = validate(sums); !valid) return tl::unexpected(std::move(valid).error());
  const SpectrumOfSums spectrum(sums.a);
  const double bound = noise_bound(sums.invariant_sigma(), sums.size(), kAdasspFailure);
  const double smallest = std::max(0.0, spectrum.values(0) - bound);
  return ridge_of_projection(sums, spectrum, std::max(0.0, bound - smallest));
}

Result<AdasspNoise> AdasspNoise::published(double epsilon, double delta) {
  if (!usable(epsilon, delta)) return bad_budget(epsilon, delta);
  const double log_term = std::log(6 / delta);
  return AdasspNoise{.sigma = std::sqrt(log_term) / (epsilon / 3),
                     .margin = log_term / (epsilon / 3)};
}

Result<AdasspNoise> AdasspNoise::tight(double shift, double delta) {
  if (!usable(shift, delta)) return bad_budget(shift, delta);
  const double sigma = std::numbers::sqrt3 / shift;
  return AdasspNoise{.sigma = sigma, .margin = sigma * std::sqrt(std::log(6 / delta))};
}

Result<Estimate> adassp_central(const NoisySums& true_sums, AdasspNoise noise,
                                const std::function<double()>& normal) {
  if (auto valid = validate(true_sums); !valid) return tl::unexpected(std::move(valid).error());
  const Eigen::Index d = true_sums.size();
  const auto size = static_cast<double>(d);
  const double true_smallest = SpectrumOfSums(true_sums.a).values(0);
  const double smallest = std::max(0.0, true_smallest + noise.sigma * normal() - noise.margin);
  const double bound = noise.sigma * std::sqrt(size * std::log(2 * size * size / kAdasspFailure));
  const double lambda = std::max(0.0, bound - smallest);

  Eigen::MatrixXd a = true_sums.a;
  Eigen::VectorXd b = true_sums.b;
  for (Eigen::Index r = 0; r < d; ++r) {
    for (Eigen::Index c = r; c < d; ++c) a(r, c) = a(c, r) = a(r, c) + noise.sigma * normal();
    b(r) += noise.sigma * normal();
  }
  const SpectrumOfSums spectrum(a);
  Estimate found;
  found.theta = minimum_norm(spectrum.values.array() + lambda, spectrum.vectors, b).theta;
  found.ridge = lambda;
  return found;
}

}  // namespace sotto
