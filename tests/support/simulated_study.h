#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/consensus.h"
#include "session/simulated_signer.h"
#include "session/terms.h"

namespace sotto {

// A made-up study, for simulated runs: small numbers, small noise, nothing to protect.

enum class SimulatedSolver { kLocal, kShuffle, kPairwise, kTracking };
[[nodiscard]] std::string to_string(SimulatedSolver solver);

struct SimulatedStudy {
  SimulatedSolver solver = SimulatedSolver::kLocal;
  ConsensusMethod method = ConsensusMethod::kExact;  // of all but kTracking
  Graph graph;
  std::size_t min_parties = 0;
  std::vector<std::vector<double>> thetas;    // by party; kTracking: one A and one B each
  std::shared_ptr<const Cipher> cipher = {};  // kShuffle: a real one; none: the ideal one

  // θ_i in [−1, 1)^entries; kTracking: A_i in [3, 4), B_i in [1, 2).
  [[nodiscard]] static SimulatedStudy make(SimulatedSolver solver, ConsensusMethod method,
                                           Graph graph, std::size_t min_parties,
                                           std::size_t entries, RandomSource& random);

  [[nodiscard]] SessionTerms terms(PartyId self) const;
  // Noise that grows with the number of members: another set, another calibration. What it costs
  // is made up; kShuffle has looks.
  [[nodiscard]] PartyFactory factory(PartyId self) const;
  [[nodiscard]] MessageLimits limits(std::size_t members, Round rounds) const;
  // Largest distance of an exact sum from Σθ_i over `members`: beyond ten standard deviations.
  [[nodiscard]] double noise_limit(std::size_t members) const;
};

// What an attempt of a simulated study costs the observer that its account counts.
inline constexpr const char* kSimulatedObserver = "neighbour";
inline constexpr double kSimulatedRelease = 1.2;
inline constexpr double kSimulatedLook = 0.1;
inline constexpr double kSimulatedNeighbourRelease = 0.01;

// Runs the parties of one attempt to their ends, in one process and without a fault:
// results[place].
[[nodiscard]] Result<std::vector<std::vector<double>>> run_undisturbed(
    std::span<const std::unique_ptr<StagedParty>> parties);

}  // namespace sotto
