#pragma once

#include "solve/release.h"

// How released columns hang together: correlations and principal components, with the privacy
// noise told apart from the data.
namespace sotto {

// Between columns j and k, with S_jk = M̂_jk − M̂_0jM̂_0k/M̂_00 (and (M̂_0j² − sd_0j²) for j = k):
//
//     r = S_jk/√(S_jj·S_kk)
//     Var r = (1 − r²)²/N + Var⟨E, C⟩
//     C = sym(v_jv_kᵀ)/√(S_jj·S_kk) − (r/2)(v_jv_jᵀ/S_jj + v_kv_kᵀ/S_kk),   v_j = e_j −
//     (M̂_0j/M̂_00)e_0
//
// the first for the rows that were drawn, the second for the noise E on M̂.
// Proof: docs/proofs/refit.md.
struct Correlation {
  double value = 0;           // in [−1, 1]
  double standard_error = 0;  // none where a variance is lost in the noise: see `known`
  bool known = true;
};

struct Correlations {
  std::vector<Eigen::Index> columns;                // of the release
  std::vector<std::vector<Correlation>> entries{};  // symmetric, 1 on the diagonal
};

// E-refit-rows: the release has no intercept, or the noise hides how many rows there are.
[[nodiscard]] Result<Correlations> correlations(const Release& release,
                                                const std::vector<Eigen::Index>& columns);

// An axis of the columns' covariance S/N in units where every column's bounds are [−1, 1].
struct Component {
  double variance = 0;        // noise-aware: what the true S has along the axis, at least 0
  double standard_error = 0;  // rows and noise
  double share = 0;           // of all components' variance
  bool above_noise = false;
  Eigen::VectorXd loadings;  // of length 1
};

struct Components {
  std::vector<Eigen::Index> columns;
  std::vector<Component> components;  // largest first
};

// Along an eigenvector q of S with the eigenvalue λ_i, the true S has about m1_i (true_moments).
// Noise on S is VEVᵀ, V = (v_j). With t_k = sd_kk and σ' the covering_sigma() of sd_jk/√(t_j·t_k),
// an axis is above the noise where
//
//     λ_i > noise_bound(σ', p + 1, 0.05)·Σ_k t_k(Vᵀq)_k²:
//
// then the true S has a variance along it, but for probability 0.05 for all axes together.
// Proof: docs/proofs/refit.md. Errors as correlations().
[[nodiscard]] Result<Components> components(const Release& release,
                                            const std::vector<Eigen::Index>& columns);

}  // namespace sotto
