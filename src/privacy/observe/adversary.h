#pragma once

#include <functional>

#include "graph/graph.h"
#include "privacy/calibrate/noise.h"

// Who could learn how much, whatever the solver: the table that every plan prints.
namespace sotto {

// Who watches, from the weakest to the strongest.
enum class Observer {
  kEavesdropper,   // reads all traffic
  kNeighbour,      // one curious party
  kColluders,      // any T parties who pool what they hold
  kAllNeighbours,  // all that surrounds one party
};

// How a row was obtained. A search may have missed something worse; a ceiling is what all
// neighbours together see, shown where the coalitions are too many to look at and no bound is
// known; a claim is what a solver that was added says of itself, and sotto has not proven.
enum class RowMethod { kProof, kSearch, kCeiling, kClaim };
inline constexpr EnumNames<RowMethod, 4> kRowMethods{{"proof", "search", "ceiling", "claim"}};

// What one observer can learn about one party's change, as a number: the length,
// in standard deviations, of the shift it sees. Privacy is κ_ε of it.
struct Adversary {
  Observer observer = Observer::kEavesdropper;
  double shift = 0;
  double delta_at_epsilon = 0;  // δ at the study's ε
  double epsilon_at_delta = 0;  // ε at the study's δ; infinity if no ε will do
  std::size_t colluders = 0;    // T, of kColluders alone
  RowMethod method = RowMethod::kProof;
};

// "eavesdropper", "neighbour", "colluders-T", "all-neighbours".
[[nodiscard]] std::string observer_name(const Adversary& adversary);

// Who that is, with nothing said yet about what it learns; nothing for other names.
[[nodiscard]] std::optional<Adversary> observer_from(std::string_view name);

// A row for each observer; that of colluders only if there are any. `attempts`: how often a run may
// have to seal, each time showing what it shows.
// E-colluders, E-colluders-many; E-parties and E-graph-disconnected where noise is to cancel.
[[nodiscard]] Result<std::vector<Adversary>> adversary_table(const Graph& graph, const Noise& noise,
                                                             Sensitivity sensitivity,
                                                             const Budget& budget,
                                                             std::size_t colluders,
                                                             std::size_t attempts = 1);

// What an attempt that was given up has shown to each observer of the table, as shift², in its
// order: nothing, but for `dishuf`, where neighbours have seen a masked value each.
[[nodiscard]] std::vector<double> looks_table(const Graph& graph, const Noise& noise,
                                              Sensitivity sensitivity,
                                              std::span<const Adversary> table);

// And what each of them learns more, as shift², if a neighbour that was given up had released its
// own value: half a look, or with shared masks a whole one. docs/proofs/per_neighbour.md.
[[nodiscard]] double release_of_lost_neighbour(const Noise& noise, Sensitivity sensitivity);

// The eavesdropper of `dishuf` with shared masks: the proven bound over every draw of the
// multipliers (docs/proofs/graph_calibration.md).
[[nodiscard]] double shuffle_shift_bound(const Graph& graph, const ShuffleNoise& noise,
                                         Sensitivity sensitivity);

struct WorstParty {
  double shift = 0;
  PartyId party = 0;
};

// A coalition in `pairwise` that pools all it holds, plus the eavesdropper
// (docs/proofs/coalition.md).
[[nodiscard]] WorstParty pairwise_coalition_shift(const Graph& graph, const PairwiseNoise& noise,
                                                  Sensitivity sensitivity,
                                                  std::span<const PartyId> coalition);

namespace privacy {

// What adversary_table asks, and each solver answers in its own file: adversary_SOLVER.cpp.
struct Watched {
  const Graph& graph;
  Sensitivity sensitivity;
  const Budget& budget;
  std::size_t colluders;
  std::size_t attempts;
};
using Rows = Result<std::vector<Adversary>>;
[[nodiscard]] Rows rows_of(const LocalNoise& noise, const Watched& watched);
[[nodiscard]] Rows rows_of(const ShuffleNoise& noise, const Watched& watched);
[[nodiscard]] Rows rows_of(const PairwiseNoise& noise, const Watched& watched);
[[nodiscard]] Rows rows_of(const GradientNoise& noise, const Watched& watched);
[[nodiscard]] Rows rows_of(const LaplaceNoise& noise, const Watched& watched);

// The shift of a Gaussian release with this δ at ε, for rows that are no Gaussian's: 0 for δ = 0,
// infinity for δ = 1.
[[nodiscard]] double equivalent_shift(double epsilon, double delta);

// The least δ at ε that any true row about one entry under this noise can have, from the densities
// themselves; 0 where nothing is known. For rows that somebody claims.
[[nodiscard]] double least_delta(const Noise& noise, Sensitivity sensitivity, double epsilon);

// Where every party protects itself: whoever watches sees the same.
[[nodiscard]] std::vector<Adversary> alike_for_all(const Adversary& seen, std::size_t colluders);

// A shift, and how it was obtained.
struct Seen {
  double shift = 0;
  RowMethod method = RowMethod::kProof;
};

// Where noise cancels in the sum: each observer sees at least what the one before it sees. The
// worst shift over coalitions of a size, or nothing if there are too many, comes from `coalition`;
// `ceiling` is what all neighbours see.
[[nodiscard]] Rows graded(const Watched& watched, Seen eavesdropper, double ceiling,
                          const std::function<std::optional<Seen>(std::size_t)>& coalition);

// The row of a Gaussian release that moves by `shift`.
[[nodiscard]] Adversary gaussian_row(Observer observer, double shift, const Budget& budget);

}  // namespace privacy
}  // namespace sotto
