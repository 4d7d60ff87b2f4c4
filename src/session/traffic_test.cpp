// How much a party sends, and that it depends on the study alone.
#include <gtest/gtest.h>

#include "support/session_traffic.h"

namespace sotto {
namespace {

TEST(Traffic, OfAPartyGrowsNoFasterThanTheNumberOfParties) {
  std::vector<std::pair<std::size_t, double>> measured;
  for (const std::size_t parties : {12U, 24U, 48U}) {
    measured.emplace_back(parties, bytes_per_party(parties));
  }
  EXPECT_LT(growth(measured), 1.1);
}

std::vector<SentFrame> frames_of(const SimulatedStudy& study, std::uint64_t seed) {
  std::vector<SentFrame> frames;
  run_study(study, seed, [&](const SentFrame& frame) { frames.push_back(frame); });
  return frames;
}

// Other data, other noise, other keys: the same frames, of the same sizes, in the same order.
TEST(Traffic, HasTheSameSizesCountsAndOrderWhateverTheData) {
  for (const auto solver : {SimulatedSolver::kLocal, SimulatedSolver::kShuffle,
                            SimulatedSolver::kPairwise, SimulatedSolver::kTracking}) {
    for (const auto method : {ConsensusMethod::kExact, ConsensusMethod::kChebyshev}) {
      SeededRandom random(3);
      SimulatedStudy study = SimulatedStudy::make(solver, method, *Graph::cycle(4), 4, 3, random);
      const std::vector<SentFrame> before = frames_of(study, 5);
      if (solver != SimulatedSolver::kTracking) {
        study.thetas[0] = {0, 0, 0};
        study.thetas[1] = {-1, 1e-9, 0.999};
      } else {
        study.thetas[0] = {3, 1};
      }
      EXPECT_FALSE(before.empty());
      for (const std::uint64_t seed : {5U, 6U, 7U}) {
        EXPECT_EQ(frames_of(study, seed), before) << to_string(solver) << ", seed " << seed;
      }
    }
  }
}

// The same with real ciphertexts, which are as long as their random numbers would have them, and
// the entries packed into them.
TEST(Traffic, OfARealCipherHasTheSameSizesCountsAndOrderWhateverTheData) {
  SeededRandom random(4);
  SimulatedStudy study = SimulatedStudy::make(SimulatedSolver::kShuffle, ConsensusMethod::kExact,
                                              *Graph::path(2), 2, 60, random);
  study.cipher = std::move(*paillier_cipher(kMinKeyBits, Randomness::kHalf));
  const std::vector<SentFrame> before = frames_of(study, 5);
  study.thetas[0] = std::vector<double>(60, 0.0);
  study.thetas[1] = std::vector<double>(60, -1.0);
  EXPECT_EQ(frames_of(study, 6), before);
}

}  // namespace
}  // namespace sotto
