#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/enum_names.h"
#include "privacy/truncated_laplace.h"

// The solvers by name, and the kinds of noise that there are. What a solver is, with its section in
// the study and its words, stands in study/mechanism/mechanism.h.
namespace sotto {

// The four, and after them what a program that links sotto has added, in the order of adding.
enum class Solver { kGt, kDishuf, kAc, kPairwise };
[[nodiscard]] std::string to_string(Solver solver);
[[nodiscard]] Result<Solver> solver_from(std::string_view name);
[[nodiscard]] std::vector<std::string> solver_names();  // in the order of the enum

// Noise of `ac`: y_i(0) = θ_i + γ_i.
struct LocalNoise {
  double sigma = 0;
};

// Whom a party's mask in the shuffle is for: each neighbour has one of its own, or all see the same
// (the paper's Algorithm 2).
enum class ShuffleMasks { kPerNeighbour, kShared };
inline constexpr EnumNames<ShuffleMasks, 2> kShuffleMasks{{"per-neighbour", "shared"}};

// Noise of `dishuf`: y_i(0) = θ_i + ζΔ_i + γ_i, with T̄_i = θ_i + η_i in the shuffle.
// Exact numbers, because lemma1's σ_η does not fit any floating-point format.
struct ShuffleNoise {
  Rational sigma_gamma;
  Rational sigma_eta;
  Integer inverse_zeta;          // Z = 1/ζ
  std::uint64_t multiplier_max;  // ā; multipliers are drawn from [⌈ā/√2⌉, ā]
  ShuffleMasks masks = ShuffleMasks::kPerNeighbour;
};

// Noise of `pairwise`: y_i(0) = θ_i + γ_i + Σ_j ±r_ij.
struct PairwiseNoise {
  double sigma_gamma = 0;
  double sigma_edge = 0;
};

// Noise of `gt`: truncated Laplace on A_i's entries, Gaussian on B_i's.
struct GradientNoise {
  TruncatedLaplace laplace;
  GridLaplace on_grid;
  double sigma_eta = 0;
};

// Laplace noise at every party, y_i(0) = θ_i + λ_i with density ∝ e^{−|λ|/b}, everywhere or within
// ±bound. None of the four has it; solvers that are added may.
struct LaplaceNoise {
  double scale = 0;                  // b
  std::optional<double> bound = {};  // none: not cut off
  std::size_t entries_moved = 1;     // of a release, by what is protected: one entry, or a row's
  [[nodiscard]] double sd() const;   // of one draw
};

// What a solver adds: the one type for all of them. Each kind is sealed in one way, by the library
// alone (privacy/seal.h, protocol/sealing.h), whichever solver has it.
using Noise = std::variant<LocalNoise, ShuffleNoise, PairwiseNoise, GradientNoise, LaplaceNoise>;

namespace privacy {

// Where noise cancels in the sum (dishuf, pairwise), g says how much more than the central
// mechanism's is left in it: (1+g) times.
[[nodiscard]] Result<void> require_g(double g);

// 1 − (1+g)⁻²: the share of κ̄² that the noise of the sum leaves to the rest.
[[nodiscard]] double spare_share(double g);

// One more solver. E-mechanism-name for a name that is taken, or that no study could write.
[[nodiscard]] Result<Solver> add_solver(const std::string& name);

}  // namespace privacy
}  // namespace sotto
