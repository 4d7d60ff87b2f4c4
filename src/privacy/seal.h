#pragma once

#include <Eigen/Dense>

#include "privacy/calibrate/noise.h"
#include "privacy/noise/noise.h"

// The privacy boundary. A Secret goes in; what comes out may leave the party.
//
//     Secret ──┬── release_locally ─────────────→ Released          (ac, and added solvers)
//              ├── ShuffleSeal  ── release(Δ) ──→ Released          (dishuf)
//              ├── PairwiseSeal ── release() ───→ Released          (pairwise)
//              └── perturb_cost ────────────────→ PerturbedCost     (gt)
namespace sotto {

struct Released;
struct PerturbedCost;

// What a party holds, on the public grid: T. Nothing outside this file can read it.
class Secret {
 public:
  // θ in doubles, put on the grid that fits a sensitivity of μ. Rounding can
  // lengthen a change by one step, so all noise for it is drawn for μ + step.
  [[nodiscard]] static Secret of_entries(std::span<const double> theta, Sensitivity mu);

  // Sums that are integers already, where the sensitivity is exact. The noise of
  // entry k is divided by entry_weights[k] > 0 (docs/proofs/moments.md).
  [[nodiscard]] static Secret of_sums(IntegerVector sums, Grid grid,
                                      std::vector<double> entry_weights);

  [[nodiscard]] std::size_t size() const { return indices_.size(); }
  [[nodiscard]] Grid grid() const { return grid_; }
  // Of the entry with the most noise; public, as all weights are.
  [[nodiscard]] double least_weight() const;

 private:
  friend class ShuffleSeal;
  friend class PairwiseSeal;
  friend class Secrets;     // simulations: privacy/secrets.h, privacy/trial_seal.h
  friend class TrialSeal;   //
  friend class TrialCosts;  //
  friend Released release_locally(const Secret& secret, double sigma, NoiseSource& noise);
  friend Released release_locally(const Secret& secret, const LaplaceNoise& laplace,
                                  NoiseSource& noise);
  friend PerturbedCost perturb_cost(const Secret& secret, std::size_t dimension,
                                    const GridLaplace& laplace, double sigma, NoiseSource& noise);
  Secret(IntegerVector indices, Grid grid, Rational widening, std::vector<double> entry_weights)
      : indices_(std::move(indices)),
        grid_(grid),
        widening_(std::move(widening)),
        entry_weights_(std::move(entry_weights)) {}

  // σ in steps of the grid for entry k, rounded up: ⌈σ·(Δ+step)/Δ / (weight·step)⌉.
  // Noise that is there at all has at least 5 steps: below, a sum of discrete Gaussians
  // is not as private as a continuous one (docs/proofs/discrete_gaussian.md).
  [[nodiscard]] Integer sigma_steps(const Rational& sigma, std::size_t k) const;
  // A length in steps of the grid for entry k, as it is: length·(Δ+step)/Δ / (weight·step).
  [[nodiscard]] Rational steps(const Rational& length, std::size_t k) const;

  IntegerVector indices_;
  Grid grid_;
  Rational widening_;                  // (Δ + step)/Δ, or 1
  std::vector<double> entry_weights_;  // empty: all 1
};

// Integers that are private enough for everybody to see: value = index·step/divisor.
struct Released {
  IntegerVector indices;
  Grid grid;
  Integer divisor = 1;

  [[nodiscard]] std::vector<double> values() const;
};

// `ac`: Y = T + Γ, Γ ~ N_ℤ(0, (σ/step)²).
[[nodiscard]] Released release_locally(const Secret& secret, double sigma, NoiseSource& noise);

// Y = T + Λ, P(Λ) ∝ e^{−|Λ|·step/b}, within the bound if there is one:
// docs/proofs/local_laplace.md.
[[nodiscard]] Released release_locally(const Secret& secret, const LaplaceNoise& laplace,
                                       NoiseSource& noise);

// `dishuf`: T̄ = T + η goes into the shuffle, encrypted; Y = Z·T + Δ + Γ comes out.
//     η ~ N_ℤ(0, (σ_η/step)²),   Γ ~ N_ℤ(0, (Zσ_γ/step)²).
// Every neighbour gets a T̄ under a mask of its own, or all get the same.
class ShuffleSeal {
 public:
  ShuffleSeal(const Secret& secret, const ShuffleNoise& parameters, std::size_t neighbours,
              NoiseSource& noise);

  // T̄ for the k-th neighbour. Only a cipher may take this out of the party.
  [[nodiscard]] const IntegerVector& masked(std::size_t k) const {
    return masked_.size() == 1 ? masked_.front() : masked_[k];
  }

  // `shuffled` is the party's Δ.
  [[nodiscard]] Released release(std::span<const Integer> shuffled) const;

 private:
  std::vector<IntegerVector> masked_;  // one, where all neighbours get the same
  IntegerVector noised_;               // Z·T + Γ
  Grid grid_;
  Integer inverse_zeta_;
};

// `pairwise`: Y = T + Γ + Σ_j ±R_ij. Both ends of an edge draw R_ij from a stream they share.
class PairwiseSeal {
 public:
  PairwiseSeal(const Secret& secret, const PairwiseNoise& parameters, NoiseSource& noise);

  // Adds the edge's mask (subtracts it at the other end). Both ends draw the same integers from
  // what they share: over a network from the exact sampler, which no platform's rounding changes.
  void add_mask(NoiseSource& shared, bool subtract);

  // Precondition: the masks of all edges are in.
  [[nodiscard]] Released release() const;

 private:
  IntegerVector masked_;
  std::vector<Integer> mask_sigmas_;
  Grid grid_;
};

// `gt`: G = A + Laplace noise cut off at γ̄, H = B + Gaussian noise. Floating point
// starts here, after the noise.
struct PerturbedCost {
  Eigen::MatrixXd g;
  Eigen::VectorXd h;
};

// `secret` is θ = [vech(A); B] of an m×m problem, m = dimension.
[[nodiscard]] PerturbedCost perturb_cost(const Secret& secret, std::size_t dimension,
                                         const GridLaplace& laplace, double sigma,
                                         NoiseSource& noise);

}  // namespace sotto
