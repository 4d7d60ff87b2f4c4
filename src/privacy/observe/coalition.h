#pragma once

#include <functional>
#include <limits>

#include "graph/spectrum.h"
#include "privacy/calibrate/noise.h"

// Parties who pool what they hold, and what is left without them: what calibration and the
// observers' table both ask of a graph.
namespace sotto::privacy {

// Two parties or more, in one piece.
[[nodiscard]] Result<void> require_network(const Graph& graph);
// At least two parties are honest, and no `colluders` parties cut the others apart.
[[nodiscard]] Result<void> require_colluders(const Graph& graph, std::size_t colluders);
// Somebody is left to be watched.
[[nodiscard]] Result<void> require_honest_party(const Graph& graph, std::size_t colluders);

// λ₂ from below and λ_max from above, as far as they are proven (graph/spectrum_bounds.h).
[[nodiscard]] Spectrum safe_spectrum(const Graph& graph);

// Dense work on one coalition, in units of n³: one Cholesky inverse, or two solved systems with
// refinement.
inline constexpr double kPairwiseWork = 1;
inline constexpr double kShuffleWork = 5;

// The coalitions of this size that there are to look at. On a cycle, a torus, a complete graph, a
// base graph and Petersen's every party is like every other, so party 0 is always a member. Ends
// after `most` of them: all may be more than anybody can count to.
void for_each_coalition(const Graph& graph, std::size_t size,
                        const std::function<void(std::span<const PartyId>)>& visit,
                        std::size_t most = std::numeric_limits<std::size_t>::max());
// Whether coalitions × work_each × n³ is work for some seconds on one core.
[[nodiscard]] bool can_visit_coalitions(const Graph& graph, std::size_t size, double work_each);
[[nodiscard]] Error too_many_coalitions(const Graph& graph, std::size_t size);
// The same where smallest_lambda_2 has nothing to say either.
[[nodiscard]] Error unbounded_coalitions(const Graph& graph, std::size_t size);

// H: the parties outside a coalition.
struct Remains {
  std::vector<PartyId> parties;      // ascending
  Graph graph;                       // of them, renumbered from 0
  std::vector<std::uint32_t> edges;  // where its edges stand in the whole graph
  std::vector<bool> boundary;        // has a neighbour in the coalition
};
[[nodiscard]] Remains without(const Graph& graph, std::span<const PartyId> coalition);

// A lower bound of λ₂(L₀) over the graphs that coalitions of this size leave:
// by looking at each, by λ₂(G − C) ≥ λ₂(G) − |C| [Fiedler 1973], or for one party by how
// well its neighbours are joined without it (docs/proofs/spectrum.md, Claim 5). Nothing if
// there are too many to look at and the bounds say nothing.
[[nodiscard]] std::optional<double> smallest_lambda_2(const Graph& graph, std::size_t size);

// What a coalition sees of the others in `dishuf`, for each of them:
//
//     ρ_i = min_u ‖m_i − ζKu‖² + r²‖u‖² + r²[i ∈ B],    r = σ_γ/σ_η,
//
// so that its shift is (Δ/σ_γ)√ρ_i (docs/proofs/coalition.md). The minimum is
// evaluated at the computed u, whose error therefore counts only squared.
// An r below 1e-150 (lemma1) is taken as 0, the limit.
class ShuffleView {
 public:
  // Precondition: the graph is connected and the coalition is not empty.
  ShuffleView(const Graph& graph, const ShuffleNoise& noise, std::span<const PartyId> coalition);

  [[nodiscard]] const Remains& remains() const { return remains_; }
  // Of the parties `targets`, indices into remains().parties.
  [[nodiscard]] std::vector<double> leakage(std::span<const double> edge_products,
                                            std::span<const std::size_t> targets) const;
  // The largest, and whose (an index into remains().parties).
  struct Worst {
    double leakage = 0;
    std::size_t target = 0;
  };
  [[nodiscard]] Worst worst(std::span<const double> edge_products) const;

 private:
  Remains remains_;
  std::vector<Eigen::Index> column_;  // of K, for the parties in I; −1 for those in B
  Eigen::Index columns_ = 0;
  double zeta_ = 0;
  double ratio_ = 0;  // r
};

// The largest leakage found over coalitions of this size and products in
// [ā²/2, ā²]: a search, not a proof (docs/proofs/coalition.md).
// Precondition: can_visit_coalitions(graph, size, kShuffleWork).
[[nodiscard]] double search_worst_leakage(const Graph& graph, const ShuffleNoise& noise,
                                          std::size_t size);

}  // namespace sotto::privacy
