#include "privacy/noise/lane_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sotto::noise {
namespace {

// 80,000 draws: some 800 leave the ziggurat's straight way, and a few end in its tail.
TEST(LaneDraws, AreTheDrawsOfEachStreamAlone) {
  const std::vector<WordSigma> sigmas{
      WordSigma(Integer(1) << 30), WordSigma((Integer(1) << 40) + 7), WordSigma(Integer(1) << 57)};
  constexpr std::array<std::uint64_t, 1> itself{0};
  for (std::uint64_t repeat = 0; repeat < 3000; ++repeat) {
    LaneStreams of;
    of.more = itself;
    for (std::size_t l = 0; l < kLanes; ++l) {
      of.seeds[l] = repeat % 7 + (l % 2) * 0x9e3779b97f4a7c15;
      of.streams[l] = stream_of(repeat, l + 4'194'300, Draws::kNoise);
    }
    LaneGroup group(sigmas);
    group.draw(of);
    for (std::size_t l = 0; l < kLanes; ++l) {
      FastDraws alone(of.seeds[l], of.streams[l]);
      for (std::size_t k = 0; k < sigmas.size(); ++k) {
        ASSERT_EQ(group.word(k, l), alone.gaussian(sigmas[k])) << repeat << " " << l;
      }
      FastDraws rest = group.rest(l);
      ASSERT_EQ(rest.bits64(), alone.bits64());
    }
  }
}

TEST(LaneDraws, OfSeveralStreamsInALaneAreAddedUp) {
  const std::vector<WordSigma> sigmas(9, WordSigma((Integer(1) << 40) + 7));
  LaneStreams of;
  std::vector<std::uint64_t> parties;
  for (const std::uint64_t party : {0U, 3U, 9U, 4'194'304U}) {
    parties.push_back(stream_of(0, party, Draws::kNoise));
  }
  of.more = parties;
  LaneGroup group(sigmas);
  for (std::uint64_t trial = 0; trial < 800; trial += kLanes) {
    of.seeds.fill(5);
    for (std::size_t l = 0; l < kLanes; ++l) {
      of.streams[l] = stream_of(trial + l, 0, Draws::kNoise);
    }
    group.draw(of);
    for (std::size_t l = 0; l < kLanes; ++l) {
      std::vector<std::int64_t> sums(sigmas.size(), 0);
      for (const std::uint64_t party : {0U, 3U, 9U, 4'194'304U}) {
        FastDraws alone(5, stream_of(trial + l, party, Draws::kNoise));
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += alone.gaussian(sigmas[k]);
      }
      for (std::size_t k = 0; k < sums.size(); ++k) ASSERT_EQ(group.word(k, l), sums[k]);
    }
  }
}

// The enclosure decides only what the curve itself decides, and leaves little open.
TEST(LaneDraws, EncloseTheCurveOverEveryWedge) {
  const Ziggurat& z = ziggurat();
  for (std::size_t i = 1; i < Ziggurat::kLayers; ++i) {
    const auto [b, a] = z.ends[i];
    const auto [bend, slack] = z.wedges[i];
    EXPECT_LT(slack, 0.05 * (b - a)) << i;
    for (int part = 0; part <= 64; ++part) {
      const double x = a + (b - a) * part / 64;
      const double curve = (b - x) * (1 + bend * (x - a));
      const double height = (std::exp(-0.5 * x * x) - z.f[i]) / (z.f[i + 1] - z.f[i]) * (b - a);
      EXPECT_NEAR(height, curve, slack - 0x1p-31) << i << " " << part;
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
