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

Result<void> require_memory(const Study& study, std::span<const Solver> solvers, double available) {
  if (available <= 0) return {};
  double needed = 0;
  for (const Solver solver : solvers) needed = std::max(needed, simulation_bytes(study, solver));
  const double usable = kUsableShare * available;
  if (needed <= usable) return {};
  return failed("E-simulate-memory",
                fmt::format("{} parties take about {:.3g} GB, and {:.3g} GB are free here",
                            study.graph().size(), needed * 1e-9, available * 1e-9),
                fmt::format("at most {:.0f} parties of this study, or {:.0f} times as much memory",
                            std::floor(static_cast<double>(study.graph().size()) * usable / needed),
                            std::ceil(needed / usable)));
}

}  // namespace sotto
