#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "protocol/consensus.h"
#include "simulate/round_graph.h"

// One round of all trials for some parties: what protocol/ does message by message, as loops over
// rows of numbers. A row has a party's numbers of all trials side by side. Every number goes
// through the same operations in the same order as there, never fused, so the bits are the same,
// for AVX-512, AVX2 and plain code alike, and however the parties are divided between threads or
// ranks: a round reads the last round's rows and writes its own parties' new ones.
//
// What a round of a large network costs is its way through memory. Each of n rows of b bytes is
// read once and written once in a row, and is read d times more where it is somebody's neighbour,
// in lines of 64 bytes wherever it stands. So a row's whole lines stand in an array of their own,
// at lines' edges, and what is left over in another (lane_parts): a row of 72 bytes that straddles
// two lines would cost both of them d times, where the ninth number of a million parties stays in
// the caches. Per party
//
//     2b + 64·⌊b/64⌋·f + (4d + 8)·parts bytes
//
// must move, where f ≤ d is how many neighbours are not in the caches any more: it depends on the
// order of the parties. Of random-regular graphs every order leaves many all over the memory, but
// by Cuthill and McKee's the tree that it walks along, half of the edges, leads to places that move
// on with one's own; rounds_bench.cpp counts f. Lines are asked for some parties ahead, into the
// second-level cache: more of them can be under way there than the first level can wait for. New
// rows that nobody reads again before the caches have forgotten them are written past them, in
// whole lines: otherwise each would first be fetched from memory in order to be overwritten.
namespace sotto {

// Some of a row's numbers in an array of their own: `count` from `first` on, in rows of `width`, of
// which the last stay 0.
struct LanePart {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t width = 0;
};

// How rows of so many numbers are best divided where they are too many for the caches: whole lines,
// and a rest that never straddles two.
[[nodiscard]] std::vector<LanePart> lane_parts(std::size_t lanes);

// Places [begin, end).
struct PlaceRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Rows of `lanes` doubles: y, and `next`, which has those of the round before y.
struct MixedRows {
  std::size_t lanes = 0;
  const double* y = nullptr;
  double* next = nullptr;
};

// next ← step of y and next, of all parts of the rows: kPlacesTogether parties of one part, then
// the same of the next, so that their edges are still at hand.
inline constexpr std::size_t kPlacesTogether = 8192;
void mix_rows(const RoundEdges& edges, const MixingStep& step, std::span<const MixedRows> parts,
              PlaceRange places);

// A row of gradient tracking is x, then s, each [entry][trial], and of a single trial zeros up to
// whole lines or a part of one; of g it is [row][column][trial].
struct TrackingRows {
  std::size_t dimension = 0;  // m
  std::size_t trials = 0;     // 1, or a multiple of kTrialsTogether: padded

  static constexpr std::size_t kTrialsTogether = 4;
  [[nodiscard]] static TrackingRows of(std::size_t dimension, std::size_t trials) {
    if (trials == 1) return {.dimension = dimension, .trials = 1};
    const std::size_t groups = (trials + kTrialsTogether - 1) / kTrialsTogether;
    return {.dimension = dimension, .trials = groups * kTrialsTogether};
  }
  [[nodiscard]] std::size_t lanes() const {
    const std::size_t numbers = 2 * dimension * trials;
    return trials > 1 ? numbers : numbers < 8 ? std::bit_ceil(numbers) : (numbers + 7) / 8 * 8;
  }
  [[nodiscard]] std::size_t matrix_lanes() const { return dimension * dimension * trials; }
};

// x⁺ = mix(x) − βs,  s⁺ = mix(s) + G(x⁺ − x): GradientTracking of protocol/gt.h. `scratch` has room
// for two rows.
void track_rows(const RoundEdges& edges, double step, const TrackingRows& rows, const double* state,
                const double* g, double* next, double* scratch, PlaceRange places);

}  // namespace sotto
