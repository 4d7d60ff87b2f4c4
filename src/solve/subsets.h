#pragma once

#include <cstdint>

#include "solve/fit.h"

// Which features a model needs, judged by a criterion that counts the privacy noise in.
namespace sotto {

// Places in θ that are chosen together: the levels of one column, or one number.
using FeatureGroup = std::vector<Eigen::Index>;

// One set of groups that was tried.
struct Candidate {
  std::vector<std::size_t> groups;  // in rising order
  Eigen::Index coefficients = 0;    // with the intercept
  double wald = 0;                  // how far the coefficients that are left out are from 0
  double criterion = 0;
};

enum class Search {
  kBest,      // all subsets where they are few, else steps back and forth
  kForward,   // from the intercept, the best feature first
  kBackward,  // from all features, the worst one first
  kAll,       // every subset
};

struct SearchResult {
  std::vector<Candidate> tried;  // kAll: the best of each size; else each step
  Candidate best;
  std::uint64_t subsets = 0;  // that were looked at
  double effective_rows = 0;
};

// More groups than this have too many subsets to try.
inline constexpr std::size_t kMostGroupsForAll = 20;

// With θ̃ and Cov of the model of all features, Λ = Cov⁻¹, the Wald statistic of what a set S of
// coefficients leaves out, R, and the criterion, the smaller the better:
//
//     W(S) = θ̃_Rᵀ(Cov_RR)⁻¹θ̃_R = θ̃ᵀΛθ̃ − (Λθ̃)_Sᵀ(Λ_SS)⁻¹(Λθ̃)_S
//     C(S) = W(S) + |S|·ln N_eff,   N_eff = N·(det s²Â⁻¹/det Cov)^(1/d)
//
// BIC but for a constant where there is no noise (up to W²/2N); N_eff is the number of rows that
// would tell as much without noise. Proof: docs/proofs/refit.md.
// E-refit-select: more than kMostGroupsForAll groups in kAll.
[[nodiscard]] Result<SearchResult> search_features(const PlugInErrors& all, double rows,
                                                   const std::vector<FeatureGroup>& groups,
                                                   Search search);

// The F-test that coefficients of a model are all 0, with the noise in the covariance: F = W/q on q
// and ν degrees of freedom, Satterthwaite's for a covariance of which the part ρ hangs on s²,
//
//     ν = 2s⁴/(ρ²·Var s²),   ρ = tr(Cov_RR⁻¹·s²(Â⁻¹)_RR)/q:
//
// N − d without noise, and more or less with it (infinite from 1e6 on).
struct NestedTest {
  double f = 0;
  double left_out = 0;  // q
  double residual = 0;  // ν
  double p = 0;
};
[[nodiscard]] NestedTest nested_test(const PlugInErrors& large,
                                     const std::vector<Eigen::Index>& left_out);

}  // namespace sotto
