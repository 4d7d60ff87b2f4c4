#pragma once

#include <string>
#include <vector>

#include "protocol/consensus.h"
#include "session/terms.h"

namespace sotto {

// A made-up study, for simulated runs: small numbers, small noise, nothing to protect.

enum class SimulatedSolver { kLocal, kShuffle, kPairwise, kTracking };
[[nodiscard]] std::string to_string(SimulatedSolver solver);

// From a seed, as no party on a network can have it: by way of a journal.
[[nodiscard]] RunKey simulated_key(RandomSource& random);

// Signatures that cost nothing: a hash of the signer's certificate and the text. Anybody could
// forge one; in a simulation only those do who are meant to.
class SimulatedSigner final : public Signer {
 public:
  explicit SimulatedSigner(PartyId self) : self_(self) {}
  [[nodiscard]] std::string certificate() const override;
  [[nodiscard]] std::string sign(std::string_view text) const override;
  [[nodiscard]] bool pinned(PartyId party, std::string_view certificate) const override;
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override;

 private:
  PartyId self_;
};

struct SimulatedStudy {
  SimulatedSolver solver = SimulatedSolver::kLocal;
  ConsensusMethod method = ConsensusMethod::kExact;  // of all but kTracking
  Graph graph;
  std::size_t min_parties = 0;
  std::vector<std::vector<double>> thetas;  // by party; kTracking: one A and one B each

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
