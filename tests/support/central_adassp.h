#pragma once

// AdaSSP as it was published, with a curator who holds all data: the baseline that what can
// be done without one is compared with.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "solve/estimators.h"

namespace sotto {

// The noise of central AdaSSP, which releases λ_min, XᵀX and Xᵀy, each of L2
// sensitivity 1: rows have ‖x‖ ≤ 1, |y| ≤ 1, and neighbours differ by one row.
struct AdasspNoise {
  double sigma = 0;   // of each of the three releases
  double margin = 0;  // taken off the noisy λ_min

  // As published, a third of (ε, δ) for each release:
  // σ = √ln(6/δ)/(ε/3), margin = ln(6/δ)/(ε/3). Kept for comparison; that these
  // constants are private is the publication's claim and not ours.
  // E-adassp-budget unless ε > 0 and 0 < δ < 1.
  [[nodiscard]] static Result<AdasspNoise> published(double epsilon, double delta);

  // Tight: three Gaussian releases that move by 1/σ each are one that moves by
  // √3/σ, so σ = √3/κ̄ with `shift` = κ̄_ε(δ) (privacy/budget.h); margin = σ√ln(6/δ).
  // E-adassp-budget unless κ̄ > 0 and 0 < δ < 1.
  [[nodiscard]] static Result<AdasspNoise> tight(double shift, double delta);
};

inline Error bad_adassp_budget(double first, double delta) {
  return bad_input("E-adassp-budget", fmt::format("a budget of {} with δ = {}", first, delta),
                   "a positive ε or κ̄ and a δ between 0 and 1");
}

inline bool usable_adassp_budget(double positive, double delta) {
  return std::isfinite(positive) && positive > 0 && delta > 0 && delta < 1;
}

inline Result<AdasspNoise> AdasspNoise::published(double epsilon, double delta) {
  if (!usable_adassp_budget(epsilon, delta)) return bad_adassp_budget(epsilon, delta);
  const double log_term = std::log(6 / delta);
  return AdasspNoise{.sigma = std::sqrt(log_term) / (epsilon / 3),
                     .margin = log_term / (epsilon / 3)};
}

inline Result<AdasspNoise> AdasspNoise::tight(double shift, double delta) {
  if (!usable_adassp_budget(shift, delta)) return bad_adassp_budget(shift, delta);
  const double sigma = std::numbers::sqrt3 / shift;
  return AdasspNoise{.sigma = sigma, .margin = sigma * std::sqrt(std::log(6 / delta))};
}

// Wang's Algorithm 2 on the true sums, for comparisons only: it needs somebody
// who holds all data. `normal` draws from N(0, 1).
//
//     λ̃_min = max(0, λ_min + σZ − margin),  λ = max(0, σ√(d ln(2d²/ϱ)) − λ̃_min)
//     Â = XᵀX + σZ (upper triangle independent, mirrored),  b̂ = Xᵀy + σZ
//     θ = (Â + λI)⁻¹ b̂
//
// The sums must pass validate(); their own noise scales are not read.
[[nodiscard]] inline Result<Estimate> adassp_central(const NoisySums& true_sums, AdasspNoise noise,
                                                     const std::function<double()>& normal) {
  SOTTO_TRY(validate(true_sums));
  const Eigen::Index d = true_sums.size();
  const auto size = static_cast<double>(d);
  const double true_smallest = solve::SpectrumOfSums(true_sums.a).values(0);
  const double smallest = std::max(0.0, true_smallest + noise.sigma * normal() - noise.margin);
  const double bound =
      noise.sigma * std::sqrt(size * std::log(2 * size * size / solve::kAdasspFailure));
  const double lambda = std::max(0.0, bound - smallest);

  Eigen::MatrixXd a = true_sums.a;
  Eigen::VectorXd b = true_sums.b;
  for (Eigen::Index r = 0; r < d; ++r) {
    for (Eigen::Index c = r; c < d; ++c) a(r, c) = a(c, r) = a(r, c) + noise.sigma * normal();
    b(r) += noise.sigma * normal();
  }
  const solve::SpectrumOfSums spectrum(a);
  Estimate found;
  found.theta = solve::minimum_norm(spectrum.values.array() + lambda, spectrum.vectors, b).theta;
  found.ridge = lambda;
  return found;
}

}  // namespace sotto
