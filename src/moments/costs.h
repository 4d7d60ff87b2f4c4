#pragma once

#include <filesystem>

#include "base/ranks.h"
#include "moments/quadratic.h"

// Where quadratic costs come from where they do not come from tables: files, or a random family.
namespace sotto {

// Problems as JSON. Either one file for all parties
//
//     {"parties": [{"A": [[2, 1], [1, 3]], "B": [1, 0]}, …]}
//
// or one file {"A": …, "B": …} per party, in the parties' order. Both forms may
// be mixed: parties are taken in the order of the files. A's lower triangle must
// repeat the upper one, which is the one that is kept.
//
//     E-problem-file        cannot be opened or read, or is above 2^28 bytes
//     E-problem-json        is not JSON, or has other keys than these
//     E-problem-shape       A is not square, B has another length, sizes differ between parties
//     E-problem-asymmetric  A is not symmetric
//     E-problem-number      an entry is not a finite number
[[nodiscard]] Result<std::vector<Quadratic>> read_problem(
    std::span<const std::filesystem::path> files);

// The same for one file's text; `name` is what errors call it.
[[nodiscard]] Result<std::vector<Quadratic>> parse_problem(std::string_view text,
                                                           const std::string& name);

// All parties' costs of one size in one piece: θ = [vech(A); B] of each, party after party.
class Costs {
 public:
  Costs() = default;
  // Precondition: thetas has theta_size(m) numbers for each party.
  Costs(std::vector<double> thetas, std::size_t m);
  explicit Costs(std::span<const Quadratic> parties);  // at least one, all of one size

  [[nodiscard]] std::size_t size() const;                         // parties
  [[nodiscard]] std::size_t dimension() const { return m_; }      // m
  [[nodiscard]] std::size_t entries() const { return entries_; }  // p
  [[nodiscard]] std::span<const double> thetas() const { return thetas_; }
  [[nodiscard]] std::span<const double> theta(std::size_t party) const {
    return std::span(thetas_).subspan(party * entries_, entries_);
  }
  [[nodiscard]] Quadratic operator[](std::size_t party) const;

 private:
  std::size_t m_ = 0;
  std::size_t entries_ = 0;
  std::vector<double> thetas_;
};

// Of quadratic.h. Of several ranks each has its share of the parties (share_of), and all get what
// one process would, to the bit.
[[nodiscard]] Quadratic sum(const Costs& costs, Ranks& ranks = alone());
[[nodiscard]] Result<Eigen::VectorXd> minimiser(const Costs& costs, Ranks& ranks = alone());

// Limits of a random family.
inline constexpr std::size_t kMaxFamilyParties = 10'000'000;
inline constexpr std::size_t kMaxFamilySize = 512;

// How large the costs of a family are when there are many parties.
enum class FamilySum {
  kFixed,  // as in the paper: ΣA_i stays, so each party has 1/n of it
  kGrows,  // a party has what it would have among ten: ΣA_i and ΣB_i are n/10 times as large
};

// The paper's random problems, `family = "paper"` in a study:
//
//     A = Q diag(200 … 600) Qᵀ  (evenly spread; 400 where m = 1),  ‖x*‖ = 1,  B = −Ax*
//     A_i = A^½ D_i A^½,  D_i = S^−½ W_i S^−½ > 0,  S = ΣW_i,  W_i ~ Wishart(16m)
//     B_i = B/n + r_i,  Σr_i = 0,  E‖r_i‖² ≈ (‖B‖/n)²
//
// Q and x* are set by (m, seed) alone, so ΣA_i = A, ΣB_i = B and the minimiser
// do not change with the number of parties; with kGrows A and B are n/10 times that, and the
// minimiser stays. Every party is drawn from a stream of its own, on all cores.
// E-family-size for a size outside
// [1, kMaxFamilySize] or a number of parties outside [1, kMaxFamilyParties]. Of several ranks each
// draws its share, the same numbers that one process draws for them.
[[nodiscard]] Result<Costs> paper_family(std::size_t parties, std::size_t m, std::uint64_t seed,
                                         FamilySum total = FamilySum::kFixed,
                                         Ranks& ranks = alone());

// No eigenvalue of its ΣA_i is smaller.
[[nodiscard]] double smallest_of_family(std::size_t parties, FamilySum total);

}  // namespace sotto
