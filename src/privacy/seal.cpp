#include "privacy/seal.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "moments/quadratic.h"

// Where noise meets data. The only file that reads a Secret: what it returns is on the grid, in
// integers, with the noise in it.
namespace sotto {

// What the free functions of this file may see of a Secret.
struct SealInternals {
  static const IntegerVector& indices(const Secret& secret) { return secret.indices_; }

  // σ in steps of the grid for entry k, rounded up: ⌈σ·(Δ+step)/Δ / (weight·step)⌉.
  // Noise that is there at all has at least kLeastSteps: below, a sum of discrete
  // Gaussians is not as private as a continuous one (docs/proofs/discrete_gaussian.md).
  static Integer sigma(const Secret& secret, const Rational& sigma, std::size_t k) {
    if (sgn(sigma) == 0) return 0;
    Rational scaled = sigma * secret.widening_ / secret.grid_.step();
    if (!secret.entry_weights_.empty()) scaled /= Rational(secret.entry_weights_[k]);
    return std::max<Integer>(ceiling(scaled), kLeastSteps);
  }

  static constexpr int kLeastSteps = 5;
};

namespace {

// (Δ + step)/Δ
Rational widening_of(Sensitivity mu, Grid grid) {
  const Rational exact(mu.value());
  return (exact + grid.step()) / exact;
}

}  // namespace

Secret::Secret(IntegerVector indices, Grid grid, Rational widening,
               std::vector<double> entry_weights)
    : indices_(std::move(indices)),
      grid_(grid),
      widening_(std::move(widening)),
      entry_weights_(std::move(entry_weights)) {}

Secret Secret::of_entries(std::span<const double> theta, Sensitivity mu) {
  const Grid grid = Grid::for_sensitivity(mu.value());
  IntegerVector indices;
  indices.reserve(theta.size());
  for (const double entry : theta) indices.push_back(grid.index(entry));
  return {std::move(indices), grid, widening_of(mu, grid), {}};
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
  Released released{.indices = SealInternals::indices(secret), .grid = secret.grid()};
  for (std::size_t k = 0; k < released.indices.size(); ++k) {
    released.indices[k] += noise.gaussian(SealInternals::sigma(secret, Rational(sigma), k));
  }
  return released;
}

ShuffleSeal::ShuffleSeal(const Secret& secret, const ShuffleNoise& parameters, NoiseSource& noise)
    : masked_(secret.indices_),
      noised_(secret.indices_),
      grid_(secret.grid_),
      inverse_zeta_(parameters.inverse_zeta) {
  const Rational scaled_gamma = parameters.sigma_gamma * Rational(inverse_zeta_);
  for (std::size_t k = 0; k < masked_.size(); ++k) {
    masked_[k] += noise.gaussian(SealInternals::sigma(secret, parameters.sigma_eta, k));
    noised_[k] *= inverse_zeta_;
    noised_[k] += noise.gaussian(SealInternals::sigma(secret, scaled_gamma, k));
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
    masked_[k] += noise.gaussian(SealInternals::sigma(secret, Rational(parameters.sigma_gamma), k));
    mask_sigmas_.push_back(SealInternals::sigma(secret, Rational(parameters.sigma_edge), k));
  }
}

void PairwiseSeal::add_mask(RandomSource& shared, bool subtract) {
  // The exact sampler even in simulations: both ends must draw the same integers.
  const auto noise = exact_noise(shared);
  for (std::size_t k = 0; k < masked_.size(); ++k) {
    const Integer mask = noise->gaussian(mask_sigmas_[k]);
    if (subtract) {
      masked_[k] -= mask;
    } else {
      masked_[k] += mask;
    }
  }
}

Released PairwiseSeal::release() const {
  return {.indices = masked_, .grid = grid_};
}

PerturbedCost perturb_cost(const Secret& secret, std::size_t dimension, const GridLaplace& laplace,
                           double sigma, NoiseSource& noise) {
  IntegerVector indices = SealInternals::indices(secret);
  check(indices.size() == theta_size(dimension), "θ has m(m+3)/2 entries");
  check(laplace.grid.log2_step == secret.grid().log2_step, "data and noise stand on one grid");
  const std::size_t matrix_entries = indices.size() - dimension;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    indices[k] += k < matrix_entries
                      ? noise.truncated_laplace(laplace.scale, laplace.bound)
                      : noise.gaussian(SealInternals::sigma(secret, Rational(sigma), k));
  }
  const Released released{.indices = std::move(indices), .grid = secret.grid()};
  const Quadratic perturbed = from_theta(released.values(), dimension);
  return {.g = perturbed.a, .h = perturbed.b};
}

}  // namespace sotto
