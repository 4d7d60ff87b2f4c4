#pragma once

#include "base/random.h"

// The samplers: exact for what touches data, fast for simulations.
namespace sotto {

// Noise as integers, in units of the grid.
class NoiseSource {
 public:
  NoiseSource() = default;
  NoiseSource(const NoiseSource&) = delete;
  NoiseSource& operator=(const NoiseSource&) = delete;
  virtual ~NoiseSource() = default;

  // P(k) ∝ exp(−k²/(2σ²)), k ∈ ℤ. σ ≥ 0; σ = 0 gives 0.
  [[nodiscard]] virtual Integer gaussian(const Integer& sigma) = 0;

  // P(k) ∝ exp(−|k|/scale), k ∈ ℤ. scale > 0.
  [[nodiscard]] virtual Integer laplace(const Rational& scale) = 0;

  // P(k) ∝ exp(−|k|/scale) for |k| ≤ bound. scale > 0, bound ≥ 0.
  [[nodiscard]] virtual Integer truncated_laplace(const Rational& scale, const Integer& bound) = 0;

  // Uniform in {low, …, high}, exactly.
  [[nodiscard]] virtual Integer uniform(const Integer& low, const Integer& high) = 0;
};

// Exact samplers [CKS20]: no floating point between the random bits and the
// result. `random` outlives this. What touches real data draws from here, over
// an OsRandom or, on a network, a key that one gave. docs/proofs/discrete_gaussian.md says what the
// integers guarantee.
[[nodiscard]] std::unique_ptr<NoiseSource> exact_noise(RandomSource& random);

// For simulations: from a fast seeded generator, the Gaussian to double
// precision (below 2⁵⁸ in σ; beyond, to 2⁻⁵⁸σ), the others exactly. The same seed and stream give
// the same draws, as far as the platform's exp and log give the same doubles.
[[nodiscard]] std::unique_ptr<NoiseSource> fast_noise(std::uint64_t seed, std::uint64_t stream);

}  // namespace sotto
