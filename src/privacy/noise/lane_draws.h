#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/noise/fast_draws.h"

// Eight streams of a simulation side by side, for the vector units: the draws of FastDraws from
// each of them, to the bit. Where a stream leaves the ziggurat's straight way, which one draw of a
// hundred does, FastDraws itself goes on from where the stream stands.
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

// The beginnings of eight streams: FastDraws(seeds[l], streams[l]).
void begin_lanes(const std::array<std::uint64_t, kLanes>& seeds,
                 const std::array<std::uint64_t, kLanes>& streams, LaneStates& states);

// normals[k·8 + l] ← the k-th normal() of lane l, for as many as there is room for.
void draw_normals(LaneStates& states, std::span<double> normals);

// words[k·8 + l] ← nearest_word(σ·normals[k·8 + l]), σ of k modulo the number of sigmas: gaussian()
// of a σ from kRoundingIsExactFrom on.
void round_normals(std::span<const double> normals, std::span<const WordSigma> sigmas,
                   std::span<std::int64_t> words);

// One draw of each σ from each of eight streams.
class LaneGroup {
 public:
  // `sigmas`, which outlives this, are from WordSigma::kRoundingIsExactFrom on.
  explicit LaneGroup(std::span<const WordSigma> sigmas)
      : sigmas_(sigmas), normals_(sigmas.size() * kLanes), words_(normals_.size()) {}

  void draw(const std::array<std::uint64_t, kLanes>& seeds,
            const std::array<std::uint64_t, kLanes>& streams) {
    begin_lanes(seeds, streams, states_);
    draw_normals(states_, normals_);
    round_normals(normals_, sigmas_, words_);
  }
  // gaussian() of the row-th σ from one lane.
  [[nodiscard]] std::int64_t word(std::size_t row, std::size_t lane) const {
    return words_[row * kLanes + lane];
  }
  // The same from all lanes.
  [[nodiscard]] const std::int64_t* row(std::size_t row) const { return &words_[row * kLanes]; }
  // What the stream draws after that.
  [[nodiscard]] FastDraws rest(std::size_t lane) const { return FastDraws(states_.lane(lane)); }

 private:
  std::span<const WordSigma> sigmas_;
  LaneStates states_;
  std::vector<double> normals_;
  std::vector<std::int64_t> words_;
};

}  // namespace sotto::noise
