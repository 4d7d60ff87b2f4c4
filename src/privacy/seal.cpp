#include "privacy/seal.h"

#include <algorithm>

#include "base/check.h"
#include "moments/quadratic.h"

// Where noise meets data. The only file that reads a Secret: what it returns is on the grid, in
// integers, with the noise in it.
namespace sotto {

Rational Secret::steps(const Rational& length, std::size_t k) const {
  Rational scaled = length * widening_ / grid_.step();
  if (!entry_weights_.empty()) scaled /= Rational(entry_weights_[k]);
  return scaled;
}

Integer Secret::sigma_steps(const Rational& sigma, std::size_t k) const {
  constexpr int kLeastSteps = 5;
  if (sgn(sigma) == 0) return 0;
  return std::max<Integer>(ceiling(steps(sigma, k)), kLeastSteps);
}

double Secret::least_weight() const {
  return entry_weights_.empty() ? 1 : std::ranges::min(entry_weights_);
}

Secret Secret::of_entries(std::span<const double> theta, Sensitivity mu) {
  const Grid grid = Grid::for_sensitivity(mu.value());
  IntegerVector indices;
  indices.reserve(theta.size());
  for (const double entry : theta) indices.push_back(grid.index(entry));
  const Rational exact(mu.value());
  return {std::move(indices), grid, (exact + grid.step()) / exact, {}};
}

Secret Secret::of_sums(IntegerVector sums, Grid grid, std::vector<double> entry_weights) {
  check(entry_weights.empty() || entry_weights.size() == sums.size(), "one weight per entry");
  return {std::move(sums), grid, Rational(1), std::move(entry_weights)};
}

std::vector<double> Released::values() const {
  std::vector<double> result;
  result.reserve(indices.size());
  for (const Integer& index : indices) result.push_back(grid.value(index, divisor));
  return result;
}

Released release_locally(const Secret& secret, double sigma, NoiseSource& noise) {
  Released released{.indices = secret.indices_, .grid = secret.grid()};
  for (std::size_t k = 0; k < released.indices.size(); ++k) {
    released.indices[k] += noise.gaussian(secret.sigma_steps(Rational(sigma), k));
  }
  return released;
}

Released release_locally(const Secret& secret, const LaplaceNoise& laplace, NoiseSource& noise) {
  Released released{.indices = secret.indices_, .grid = secret.grid()};
  for (std::size_t k = 0; k < released.indices.size(); ++k) {
    const Rational scale = secret.steps(Rational(laplace.scale), k);
    released.indices[k] +=
        laplace.bound
            ? noise.truncated_laplace(scale, ceiling(secret.steps(Rational(*laplace.bound), k)))
            : noise.laplace(scale);
  }
  return released;
}

ShuffleSeal::ShuffleSeal(const Secret& secret, const ShuffleNoise& parameters,
                         std::size_t neighbours, NoiseSource& noise)
    : masked_(parameters.masks == ShuffleMasks::kShared ? 1 : neighbours, secret.indices_),
      noised_(secret.indices_),
      grid_(secret.grid_),
      inverse_zeta_(parameters.inverse_zeta) {
  const Rational scaled_gamma = parameters.sigma_gamma * Rational(inverse_zeta_);
  for (std::size_t k = 0; k < noised_.size(); ++k) {
    const Integer sigma_eta = secret.sigma_steps(parameters.sigma_eta, k);
    for (IntegerVector& masked : masked_) masked[k] += noise.gaussian(sigma_eta);
    noised_[k] *= inverse_zeta_;
    noised_[k] += noise.gaussian(secret.sigma_steps(scaled_gamma, k));
  }
}

Released ShuffleSeal::release(std::span<const Integer> shuffled) const {
  check(shuffled.size() == noised_.size(), "the shuffle returns one number per entry");
  Released released{.indices = noised_, .grid = grid_, .divisor = inverse_zeta_};
  for (std::size_t k = 0; k < shuffled.size(); ++k) released.indices[k] += shuffled[k];
  return released;
}

PairwiseSeal::PairwiseSeal(const Secret& secret, const PairwiseNoise& parameters,
                           NoiseSource& noise)
    : masked_(secret.indices_), grid_(secret.grid_) {
  mask_sigmas_.reserve(masked_.size());
  for (std::size_t k = 0; k < masked_.size(); ++k) {
    masked_[k] += noise.gaussian(secret.sigma_steps(Rational(parameters.sigma_gamma), k));
    mask_sigmas_.push_back(secret.sigma_steps(Rational(parameters.sigma_edge), k));
  }
}

void PairwiseSeal::add_mask(NoiseSource& shared, bool subtract) {
  for (std::size_t k = 0; k < masked_.size(); ++k) {
    const Integer mask = shared.gaussian(mask_sigmas_[k]);
    masked_[k] += subtract ? Integer(-mask) : mask;
  }
}

Released PairwiseSeal::release() const {
  return {.indices = masked_, .grid = grid_};
}

PerturbedCost perturb_cost(const Secret& secret, std::size_t dimension, const GridLaplace& laplace,
                           double sigma, NoiseSource& noise) {
  IntegerVector indices = secret.indices_;
  check(indices.size() == theta_size(dimension), "θ has m(m+3)/2 entries");
  check(laplace.grid.log2_step == secret.grid().log2_step, "data and noise stand on one grid");
  const std::size_t matrix_entries = indices.size() - dimension;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    indices[k] += k < matrix_entries ? noise.truncated_laplace(laplace.scale, laplace.bound)
                                     : noise.gaussian(secret.sigma_steps(Rational(sigma), k));
  }
  const Released released{.indices = std::move(indices), .grid = secret.grid()};
  const Quadratic perturbed = from_theta(released.values(), dimension);
  return {.g = perturbed.a, .h = perturbed.b};
}

}  // namespace sotto
