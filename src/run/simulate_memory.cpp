// What a simulation of many parties takes, said before it is taken.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "moments/quadratic.h"
#include "run/simulate.h"
#include "simulate/rounds.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

// A system whose last tenth is gone swaps, or ends somebody's program.
constexpr double kUsableShare = 0.9;

constexpr double kNumber = 8;  // a double, or a word

}  // namespace

double simulation_bytes(const Study& study, Solver solver) {
  const auto parties = static_cast<double>(study.graph().size());
  const double degree = 2 * static_cast<double>(study.graph().edges().size()) / parties;
  const auto m = static_cast<double>(study.problem ? study.problem->dimension : 0);
  const double entries = m * (m + 3) / 2;
  // The graph as the rounds walk it: places, first neighbours, neighbours, weights.
  double each = 16 + 12 * degree;
  // The costs; what a family is drawn in is gone again before there are secrets and values.
  each += entries * kNumber + std::max((m * m + m) * kNumber, 4 * entries * kNumber);
  const SealKind seals = mechanism_of(solver).seals();
  if (seals == SealKind::kTracking) {
    // θ + noise, rows of two rounds, G, x
    const TrackingRows rows{.dimension = static_cast<std::size_t>(m), .trials = 1};
    each += (entries + 2 * static_cast<double>(rows.lanes()) + m * m + m) * kNumber;
    return each * parties;
  }
  each += 2 * entries * kNumber;  // indices, of two words each
  double width = 0;
  for (const LanePart& part : lane_parts(static_cast<std::size_t>(entries))) {
    width += static_cast<double>(part.width);
  }
  each += 2 * width * kNumber + 8 * degree;                 // rows of two rounds; edges
  if (seals != SealKind::kLocal) each += degree * kNumber;  // multipliers, or keys
  // A mask for each neighbour.
  if (seals == SealKind::kShuffle) each += degree * entries * kNumber;
  return each * parties;
}

namespace {

// Of one rank of several: its share, and rows of others' parties, as many as a network has that
// cannot be cut well; masks come over once for each edge that leads elsewhere.
double bytes_of_rank(const Study& study, Solver solver, std::size_t ranks) {
  const double all = simulation_bytes(study, solver);
  if (ranks == 1) return all;
  const auto parties = static_cast<double>(study.graph().size());
  const auto count = static_cast<double>(ranks);
  const double own = parties / count;
  const double degree = 2 * static_cast<double>(study.graph().edges().size()) / parties;
  const double crossing = own * degree * (count - 1) / count;
  const double halo = std::min(parties - own, crossing);
  const auto m = static_cast<double>(study.problem ? study.problem->dimension : 0);
  const double entries = m * (m + 3) / 2;
  const SealKind seals = mechanism_of(solver).seals();
  const double rows = seals == SealKind::kTracking ? 4 * m : 2 * entries;
  const double masks = seals == SealKind::kShuffle ? entries + 1 : 1;
  // Whose each party is and where it stands; costs once more while they are dealt out.
  const double part = all / count + 8 * parties + own * entries * kNumber + halo * rows * kNumber +
                      crossing * masks * kNumber;
  // Every rank looks for gt's step with all parties' costs, which takes as much as a simulation.
  return seals == SealKind::kTracking ? std::max(part, all) : part;
}

}  // namespace

Result<void> require_memory(const Study& study, std::span<const Solver> solvers, double available,
                            std::size_t ranks) {
  if (available <= 0) return {};
  const double usable = kUsableShare * available;
  const auto needed = [&](std::size_t count) {
    double most = 0;
    for (const Solver solver : solvers) most = std::max(most, bytes_of_rank(study, solver, count));
    return most;
  };
  if (needed(ranks) <= usable) return {};
  const std::size_t parties = study.graph().size();
  const auto fewer = std::floor(static_cast<double>(parties) * usable / needed(ranks));
  std::size_t enough = ranks + 1;
  while (enough <= parties && needed(enough) > usable)
    enough += std::max<std::size_t>(1, enough / 16);
  return failed(
      "E-simulate-memory",
      fmt::format("{} parties take about {:.3g} GB{}, and {:.3g} GB are free here", parties,
                  needed(ranks) * 1e-9,
                  ranks == 1 ? "" : fmt::format(" on each of {} ranks", ranks), available * 1e-9),
      fmt::format("at most {:.0f} parties of this study{}", fewer,
                  enough <= parties
                      ? fmt::format(", or mpirun with {} ranks of as much memory each", enough)
                      : ", or more memory: no number of ranks would do"));
}

}  // namespace sotto
