#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/noise/fast_draws.h"

// Eight streams of a simulation side by side, for the vector units: the draws of FastDraws from
// each of them, to the bit. Where a stream leaves the ziggurat's straight way, which one draw of a
// hundred does, an enclosure of the curve decides as FastDraws would; where it does not, and in the
// tail, FastDraws itself goes on from where the stream stands.
namespace sotto::noise {

inline constexpr std::size_t kLanes = 8;

// Where eight streams stand: word w of lane l at word[w][l].
struct alignas(64) LaneStates {
  std::array<std::array<std::uint64_t, kLanes>, 4> word{};

  [[nodiscard]] base::XoshiroState lane(std::size_t l) const {
    return {word[0][l], word[1][l], word[2][l], word[3][l]};
  }
  void set_lane(std::size_t l, const base::XoshiroState& state) {
    for (std::size_t w = 0; w < 4; ++w) word[w][l] = state[w];
  }
};

// Which streams: those of seeds[l] that are named streams[l] + more[i], for each i.
struct LaneStreams {
  std::array<std::uint64_t, kLanes> seeds{};
  std::array<std::uint64_t, kLanes> streams{};
  std::span<const std::uint64_t> more;
};

// sums[k·8 + l] += the k-th of what FastDraws draws from each stream of lane l,
// gaussian(sigmas[k]); `states` is where the last of them stands afterwards. All sigmas are from
// WordSigma::kRoundingIsExactFrom on. Sums that pass 64 bits go around.
void add_lane_draws(const LaneStreams& of, std::span<const WordSigma> sigmas, LaneStates& states,
                    std::span<std::int64_t> sums);

// One draw of each σ from each of eight streams, or of several eights added up.
class LaneGroup {
 public:
  // `sigmas`, which outlives this, are from WordSigma::kRoundingIsExactFrom on.
  explicit LaneGroup(std::span<const WordSigma> sigmas)
      : sigmas_(sigmas), words_(sigmas.size() * kLanes) {}

  void draw(const LaneStreams& of) {
    std::ranges::fill(words_, 0);
    add_lane_draws(of, sigmas_, states_, words_);
  }
  // gaussian() of the row-th σ from one lane.
  [[nodiscard]] std::int64_t word(std::size_t row, std::size_t lane) const {
    return words_[row * kLanes + lane];
  }
  // What the stream draws after that.
  [[nodiscard]] FastDraws rest(std::size_t lane) const { return FastDraws(states_.lane(lane)); }

 private:
  std::span<const WordSigma> sigmas_;
  LaneStates states_;
  std::vector<std::int64_t> words_;
};

}  // namespace sotto::noise
