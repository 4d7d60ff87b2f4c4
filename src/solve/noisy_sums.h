#pragma once

#include "moments/quadratic.h"

namespace sotto {

// How the released A's noise is spread over its entries.
enum class NoiseShape {
  kSvec,     // unit = "record": Var E_ii = σ_A², Var E_ij = σ_A²/2
  kEntries,  // unit = "entry":  every entry of the upper triangle has variance σ_A²
  kOwn,      // every entry has a standard deviation of its own
};

// Above this an entry's square is no longer safe from overflow in any formula here.
inline constexpr double kMaxSum = 1e100;

// The sums that come out of a run, and how noisy they are:
//
//     Â = XᵀX + E  (symmetric),   b̂ = Xᵀy + e,  Var e_i = σ_B².
//
// The sign is the statistician's: estimators solve Âθ ≈ b̂. The paper's objective
// ½xᵀAx + Bᵀx has Âx ≈ −B̂; from_quadratic turns the sign.
// Whatever is computed from here is post-processing: it costs no privacy.
struct NoisySums {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
  double sigma_a = 0;
  double sigma_b = 0;
  NoiseShape shape = NoiseShape::kSvec;
  Eigen::MatrixXd own_sd_a{};  // kOwn alone, in place of σ_A and σ_B
  Eigen::VectorXd own_sd_b{};

  // Sums whose entries have these standard deviations, as kSvec where they are of that shape.
  [[nodiscard]] static NoisySums with_sd(Eigen::MatrixXd a, Eigen::VectorXd b, Eigen::MatrixXd sd_a,
                                         Eigen::VectorXd sd_b);

  [[nodiscard]] Eigen::Index size() const { return b.size(); }

  // The standard deviation of every entry, whatever the shape.
  [[nodiscard]] Eigen::MatrixXd sd_a() const;
  [[nodiscard]] Eigen::VectorXd sd_b() const;

  // The σ of the smallest rotation-invariant noise that covers E (the shape kSvec): with
  // independent noise added to some entries, E has exactly that law.
  //
  //     kSvec σ_A,   kEntries √2·σ_A,   kOwn covering_sigma()
  [[nodiscard]] double invariant_sigma() const;
};

// The σ of the smallest noise of shape kSvec that covers entries of these standard deviations:
//
//     max(max_i sd_ii, √2·max_{i≠j} sd_ij)
[[nodiscard]] double covering_sigma(const Eigen::MatrixXd& sd);

// Var Σ_ij E_ij S_ij for a symmetric S and independent noise on the upper triangle of E.
[[nodiscard]] double noise_variance(const Eigen::MatrixXd& sd_a, const Eigen::MatrixXd& s);

// Cov(Eθ), the noise of Â seen through θ:
//
//     K_ii = Σ_k sd_ik²θ_k²,   K_ij = sd_ij²θ_iθ_j
[[nodiscard]] Eigen::MatrixXd noise_seen_through(const Eigen::MatrixXd& sd_a,
                                                 const Eigen::VectorXd& theta);

// b̂ = −B̂, with one σ for every entry of θ.
[[nodiscard]] NoisySums from_quadratic(const Quadratic& noisy, double sigma);

// Sums come from peers. E-solve-sums where they are empty, not square, not
// symmetric, not finite, above kMaxSum, or their σ is negative.
[[nodiscard]] Result<void> validate(const NoisySums& sums);

namespace solve {

// How many standard deviations of its noise a number must be away from 0 to be divided by.
inline constexpr double kClearly = 3;

// E[x | x ≥ 0] for x ~ N(value, σ²): value + σ·φ(z)/Φ(z), z = value/σ.
[[nodiscard]] double mean_above_zero(double value, double sigma);

// Â = QΛQᵀ, eigenvalues in ascending order. Every estimator works in this basis:
// it is backward stable for definite and indefinite Â alike, and shows how far
// Â is from singular.
struct SpectrumOfSums {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;

  explicit SpectrumOfSums(const Eigen::MatrixXd& symmetric);
};

struct SpectralSolution {
  Eigen::VectorXd theta;
  Eigen::Index dropped = 0;  // directions without a usable eigenvalue
};

// The minimum-norm least-squares solution of Q diag(values) Qᵀθ = b. Eigenvalues
// with |λ| ≤ d·2⁻⁵²·max|λ| count as 0.
[[nodiscard]] SpectralSolution minimum_norm(const Eigen::VectorXd& values,
                                            const Eigen::MatrixXd& vectors,
                                            const Eigen::VectorXd& b);

}  // namespace solve
}  // namespace sotto
