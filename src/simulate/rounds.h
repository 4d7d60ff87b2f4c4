#pragma once

#include <cstddef>

#include "protocol/consensus.h"
#include "simulate/round_graph.h"

// One round of all trials for some parties: what protocol/ does message by message, as loops over
// rows of numbers. A row has a party's numbers of all trials side by side. Every number goes
// through the same operations in the same order as there, never fused, so the bits are the same,
// for AVX-512, AVX2 and plain code alike, and however the parties are divided between threads or
// ranks: a round reads the last round's rows and writes its own parties' new ones.
//
// What a round of a large network costs is its way through memory. Of n rows of b bytes, each is
// read once and written once in a row, and d times more where it is somebody's neighbour. Those d
// rows come from memory too where the graph allows no locality (random-regular: any order leaves
// them all over it), in whole lines of 64 bytes; so per party
//
//     2b + d·64·⌈(b + 56)/64⌉ + 4d + 8 bytes
//
// must move: 680 for p = 9, d = 4. They are asked for a few parties ahead (simulate_bench.cpp).
namespace sotto {

// Places [begin, end).
struct PlaceRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// y⁺ ← step of y and, in `next`, of the round before, which it replaces: rows of `lanes` doubles.
void mix_rows(const RoundEdges& edges, const MixingStep& step, std::size_t lanes, const double* y,
              double* next, PlaceRange places);

// A row of gradient tracking is x, then s, each [entry][trial]; of g it is [row][column][trial].
struct TrackingRows {
  std::size_t dimension = 0;  // m
  std::size_t trials = 0;     // 1, or a multiple of kTrialsTogether: padded

  static constexpr std::size_t kTrialsTogether = 4;
  [[nodiscard]] static TrackingRows of(std::size_t dimension, std::size_t trials) {
    if (trials == 1) return {.dimension = dimension, .trials = 1};
    const std::size_t groups = (trials + kTrialsTogether - 1) / kTrialsTogether;
    return {.dimension = dimension, .trials = groups * kTrialsTogether};
  }
  [[nodiscard]] std::size_t lanes() const { return 2 * dimension * trials; }
  [[nodiscard]] std::size_t matrix_lanes() const { return dimension * dimension * trials; }
};

// x⁺ = mix(x) − βs,  s⁺ = mix(s) + G(x⁺ − x): GradientTracking of protocol/gt.h. `scratch` has room
// for two rows.
void track_rows(const RoundEdges& edges, double step, const TrackingRows& rows, const double* state,
                const double* g, double* next, double* scratch, PlaceRange places);

}  // namespace sotto
