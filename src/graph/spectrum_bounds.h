#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/enum_names.h"
#include "graph/spectrum.h"

// What is proven of a Laplacian's spectrum, for whom an estimate is not enough: noise that is
// calibrated with too large a λ₂ is too small. docs/proofs/spectrum.md
namespace sotto {

// What a lower bound of λ₂ rests on.
enum class SpectrumProof {
  kFormula,  // the topology's closed form
  kInertia,  // computed, and a factorisation has no second eigenvalue below (Sylvester)
  kFilter,   // polynomials of L would have shown a smaller one; fails with probability 2⁻⁶⁴
  kPaths,    // how long ways between parties are
};
inline constexpr EnumNames<SpectrumProof, 4> kSpectrumProofs{
    {"formula", "inertia", "filter", "paths"}};

struct SpectrumBounds {
  double lambda_2 = 0;    // λ₂ is no smaller: rounded down
  double lambda_max = 0;  // λ_max is no larger: rounded up
  SpectrumProof proof = SpectrumProof::kFormula;

  [[nodiscard]] Spectrum at_worst() const { return {lambda_2, lambda_max}; }
};

// Of L₀; computed once for a graph and its copies. Both are 0 for a single party, λ₂ for a graph in
// pieces.
[[nodiscard]] SpectrumBounds spectrum_bounds(const Graph& graph);

// Of L₀, and of L = I − W, without a matrix being factorised: by kFilter or kPaths, whichever is
// larger. With s = (c + τ − 2λ)/(c − τ), the polynomial T_k(s) stays below 1 for λ ∈ [τ, c] and
// grows like cosh below τ. Of random vectors v, T_k(s(L))v is computed; if its norm is N, then for
// all eight of them
//
//     |T_k(s(λ₂))| ≤ N/(α − error),   unless |vᵀu₂| < α for each,
//
// which is λ₂'s lower bound, and P(|vᵀu₂| < α) ≤ √2·α (Ball 1986). Linear in edges. With an
// `expected` λ₂, right or wrong, more steps are taken. Precondition: connected, two parties or
// more.
[[nodiscard]] SpectrumBounds filter_bounds(const Graph& graph,
                                           std::optional<double> expected = std::nullopt);
[[nodiscard]] SpectrumBounds filter_bounds(const Weights& weights);

// A lower bound of L₀'s λ₂ without any one party, whoever it is; 0 where nothing is proven.
// Computed once, too; linear in parties where degrees are small.
[[nodiscard]] double lambda_2_without_one(const Graph& graph);

// The smallest of 10⁻¹⁰, 10⁻⁸ and 10⁻⁶, call it m, for which LDLᵀ with its rounding errors shows
// that L₀'s second eigenvalue is at least λ₂(1 − m) and its largest at most λ_max(1 + m); nothing
// if none does, or if it would take long.
[[nodiscard]] std::optional<double> confirmed_margin(const Graph& graph, Spectrum computed);

namespace graphs {

enum class Known { kNotYet, kNo, kYes };

struct SpectrumCache {
  std::mutex mutex;
  std::optional<SpectrumBounds> bounds;
  std::optional<double> without_one;
  std::atomic<Known> connected = Known::kNotYet;  // graph_connectivity.cpp's; not under the mutex
};

}  // namespace graphs
}  // namespace sotto
