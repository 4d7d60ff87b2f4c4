#include "privacy/noise/lane_draws.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sotto::noise {
namespace {

// 80,000 draws: some 800 leave the ziggurat's straight way, and a few end in its tail.
TEST(LaneDraws, AreTheDrawsOfEachStreamAlone) {
  const std::vector<WordSigma> sigmas{
      WordSigma(Integer(1) << 30), WordSigma((Integer(1) << 40) + 7), WordSigma(Integer(1) << 57)};
  for (std::uint64_t repeat = 0; repeat < 3000; ++repeat) {
    std::array<std::uint64_t, kLanes> seeds{};
    std::array<std::uint64_t, kLanes> streams{};
    for (std::size_t l = 0; l < kLanes; ++l) {
      seeds[l] = repeat % 7 + (l % 2) * 0x9e3779b97f4a7c15;
      streams[l] = stream_of(repeat, l + 4'194'300, Draws::kNoise);
    }
    LaneGroup group(sigmas);
    group.draw(seeds, streams);
    for (std::size_t l = 0; l < kLanes; ++l) {
      FastDraws alone(seeds[l], streams[l]);
      for (std::size_t k = 0; k < sigmas.size(); ++k) {
        ASSERT_EQ(group.word(k, l), alone.gaussian(sigmas[k])) << repeat << " " << l;
      }
      FastDraws rest = group.rest(l);
      ASSERT_EQ(rest.bits64(), alone.bits64());
    }
  }
}

TEST(Streams, AreDifferentForEveryPartyTrialAndPurpose) {
  std::vector<std::uint64_t> all;
  for (const std::uint64_t trial : {0U, 1U, 9'999'999U}) {
    for (const std::uint64_t party : {0U, 1U, 4'194'303U, 4'194'304U, 8'388'608U, 9'999'999U}) {
      for (const Draws purpose : {Draws::kNoise, Draws::kKeys}) {
        all.push_back(stream_of(trial, party, purpose));
      }
    }
  }
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

}  // namespace
}  // namespace sotto::noise
