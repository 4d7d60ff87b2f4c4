// Rounds as straight code over rows, for the vector units.
#include "simulate/rounds.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "base/machine/vectorised.h"

#define SOTTO_INLINE inline __attribute__((always_inline))

namespace sotto {
namespace rounds {

// Numbers that stand next to each other. Of 64 bytes where the processor has such registers, else
// the compiler takes several; each lane's operations are the same.
using Eight = double __attribute__((vector_size(8 * sizeof(double)), aligned(8), may_alias));
using Four = double __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

template <class V>
SOTTO_INLINE const V& load(const double* at) {
  return *reinterpret_cast<const V*>(at);
}
template <class V>
SOTTO_INLINE V& store(double* at) {
  return *reinterpret_cast<V*>(at);
}

// One party's way into its neighbours.
struct Around {
  const std::uint32_t* neighbour;
  const double* weight;  // nullptr: `uniform`
  std::size_t count;
  double uniform;
};

SOTTO_INLINE Around around(const RoundEdges& edges, std::size_t place) {
  const std::uint64_t first = edges.first[place];
  return {.neighbour = edges.neighbour.data() + first,
          .weight = edges.weight.empty() ? nullptr : edges.weight.data() + first,
          .count = edges.first[place + 1] - first,
          .uniform = edges.uniform};
}

// mixed ← own + Σ_k w_k(neighbour_k − own) for the lanes of a V from `lane` on: mix() of
// protocol/consensus.h. Vectors go by reference: how they are passed by value depends on the
// processor.
template <class V>
SOTTO_INLINE void mix_lanes(const Around& around, const double* rows, std::size_t lanes,
                            const V& own, std::size_t lane, V& mixed) {
  mixed = own;
  if (around.weight == nullptr) {
    for (std::size_t k = 0; k < around.count; ++k) {
      mixed += around.uniform * (load<V>(rows + around.neighbour[k] * lanes + lane) - own);
    }
  } else {
    for (std::size_t k = 0; k < around.count; ++k) {
      mixed += around.weight[k] * (load<V>(rows + around.neighbour[k] * lanes + lane) - own);
    }
  }
}

// How many parties ahead neighbours' rows are asked for, into which level of the caches (2: the
// second), and from how many bytes of rows on: what stays in the caches needs no asking.
constexpr std::size_t kAhead = 32;
constexpr int kLevel = 2;
constexpr int kLevelOfShortRows = 3;
constexpr std::size_t kAskFrom = std::size_t{1} << 22;
// From how many bytes of rows on new ones are written past the caches: as many as a third level
// has.
constexpr std::size_t kPastCachesFrom = std::size_t{1} << 25;
constexpr std::size_t kLine = 64;

SOTTO_INLINE std::size_t bytes_of(const RoundEdges& edges, std::size_t lanes) {
  return edges.first.size() * lanes * sizeof(double);
}

SOTTO_INLINE void ask_for(const RoundEdges& edges, const double* rows, std::size_t lanes,
                          std::size_t place) {
  for (std::uint64_t e = edges.first[place]; e < edges.first[place + 1]; ++e) {
    const char* row = reinterpret_cast<const char*>(rows + edges.neighbour[e] * lanes);
    // Rows of at most a line straddle none (lane_parts).
    if (lanes == 8) {
      __builtin_prefetch(row, 0, kLevel);
      continue;
    }
    if (lanes < 8) {
      __builtin_prefetch(row, 0, kLevelOfShortRows);
      continue;
    }
    const char* end = row + lanes * sizeof(double);
    for (const char* line = row - reinterpret_cast<std::uintptr_t>(row) % kLine; line < end;
         line += kLine) {
      __builtin_prefetch(line, 0, kLevel);
    }
  }
}

// Whether rows may be written past the caches: whole lines, each at once.
SOTTO_INLINE bool past_caches(const RoundEdges& edges, std::size_t lanes, const double* rows) {
  return lanes % 8 == 0 && reinterpret_cast<std::uintptr_t>(rows) % kLine == 0 &&
         bytes_of(edges, lanes) >= kPastCachesFrom;
}

// A line, in pieces that every processor of the kind has; they leave it together.
SOTTO_INLINE void write_past_caches(double* line, const Eight& numbers) {
#if defined(__x86_64__)
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2) _mm_stream_pd(line + k, __m128d{numbers[k], numbers[k + 1]});
#else
  store<Eight>(line) = numbers;
#endif
}

// What was written past the caches is there for other threads when they meet.
SOTTO_INLINE void finish_writing() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// What is the same for all parties of a round is known when the loop over them is compiled: it
// leaves the registers to the rows, and memory is asked for sooner.
struct RoundKind {
  bool plain = false;     // 1·mixed + 0·y + 0·before: the round before is not read
  bool uniform = false;   // all edges weigh the same
  bool past = false;      // rows are written past the caches
  std::size_t lanes = 0;  // of a row; 0: any number
};

template <RoundKind kKind, class V>
SOTTO_INLINE void mix_step(const Around& around, const MixingStep& step, const double* y,
                           std::size_t lanes, const double* own, std::size_t lane, double* out) {
  const V current = load<V>(own + lane);
  V mixed;
  mix_lanes(around, y, lanes, current, lane, mixed);
  if constexpr (!kKind.plain) {
    mixed = step.mixed * mixed + step.current * current + step.previous * load<V>(out + lane);
  }
  if constexpr (kKind.past) {
    write_past_caches(out + lane, mixed);
  } else {
    store<V>(out + lane) = mixed;
  }
}

// Edges and rows are copies: what others may point to would be read again after every row that is
// written.
template <RoundKind kKind>
SOTTO_INLINE void mix_places(const RoundEdges edges, const MixingStep step, const MixedRows rows,
                             PlaceRange places, std::size_t asked_until) {
  const std::size_t lanes = kKind.lanes == 0 ? rows.lanes : kKind.lanes;
  const bool ask = bytes_of(edges, lanes) >= kAskFrom;
  for (std::size_t i = places.begin; i < places.end; ++i) {
    if (ask && i + kAhead < asked_until) ask_for(edges, rows.y, lanes, i + kAhead);
    Around near = around(edges, i);
    if constexpr (kKind.uniform) near.weight = nullptr;
    const double* own = rows.y + i * lanes;
    double* out = rows.next + i * lanes;
    std::size_t lane = 0;
    for (; lane + 8 <= lanes; lane += 8) {
      mix_step<kKind, Eight>(near, step, rows.y, lanes, own, lane, out);
    }
    if constexpr (!kKind.past) {
      if (lane + 4 <= lanes) {
        mix_step<kKind, Four>(near, step, rows.y, lanes, own, lane, out);
        lane += 4;
      }
      for (; lane < lanes; ++lane) {
        mix_step<kKind, double>(near, step, rows.y, lanes, own, lane, out);
      }
    }
  }
}

// The kinds that large networks have (plain or not, one weight, p = 9: whole lines and a ninth
// number), and one for all others.
SOTTO_INLINE void mix_part(const RoundEdges& edges, const MixingStep& step, const MixedRows& rows,
                           PlaceRange places, std::size_t asked_until) {
  const bool plain = step.mixed == 1 && step.current == 0 && step.previous == 0;
  const bool uniform = edges.weight.empty();
  const auto mix = [&]<RoundKind kKind>() __attribute__((always_inline)) {
    mix_places<kKind>(edges, step, rows, places, asked_until);
  };
  if (plain && uniform && rows.lanes == 8 && past_caches(edges, 8, rows.next)) {
    return mix.template operator()<RoundKind{true, true, true, 8}>();
  }
  if (plain && uniform && rows.lanes == 1) {
    return mix.template operator()<RoundKind{true, true, false, 1}>();
  }
  if (!plain && uniform && rows.lanes == 8) {
    return mix.template operator()<RoundKind{false, true, false, 8}>();
  }
  if (!plain && uniform && rows.lanes == 1) {
    return mix.template operator()<RoundKind{false, true, false, 1}>();
  }
  if (plain && uniform) return mix.template operator()<RoundKind{true, true, false, 0}>();
  if (plain) return mix.template operator()<RoundKind{true, false, false, 0}>();
  mix.template operator()<RoundKind{}>();
}

template <class V>
SOTTO_INLINE void mix_only(const Around& around, const double* rows, std::size_t lanes,
                           const double* own, std::size_t lane, double* out) {
  const V current = load<V>(own + lane);
  V mixed;
  mix_lanes(around, rows, lanes, current, lane, mixed);
  store<V>(out + lane) = mixed;
}

template <class V>
SOTTO_INLINE void track_step(const TrackingRows& rows, double step, const double* own,
                             const double* mixed, const double* g, std::size_t lane, double* moved,
                             double* out) {
  const std::size_t m = rows.dimension;
  const std::size_t stride = rows.trials;
  const std::size_t s = m * stride;  // where s begins in a row
  for (std::size_t r = 0; r < m; ++r) {
    const std::size_t at = r * stride + lane;
    const V x = load<V>(mixed + at) - step * load<V>(own + s + at);
    store<V>(out + at) = x;
    store<V>(moved + at) = x - load<V>(own + at);
  }
  for (std::size_t r = 0; r < m; ++r) {
    V gradient{};
    for (std::size_t c = 0; c < m; ++c) {
      gradient += load<V>(g + (r * m + c) * stride + lane) * load<V>(moved + c * stride + lane);
    }
    const std::size_t at = s + r * stride + lane;
    store<V>(out + at) = load<V>(mixed + at) + gradient;
  }
}

// The rows of one trial with 2m ≤ 8 numbers, m known when this is compiled: a row is one line, and
// all that becomes of it stays in registers.
template <std::size_t kDimension>
SOTTO_INLINE void track_lines(const RoundEdges edges, double step, const double* state,
                              const double* g, double* next, PlaceRange places) {
  constexpr std::size_t kLanes = 8;
  static_assert(2 * kDimension <= kLanes);
  const bool ask = bytes_of(edges, kLanes) >= kAskFrom;
  const bool past = past_caches(edges, kLanes, next);
  for (std::size_t i = places.begin; i < places.end; ++i) {
    if (ask && i + kAhead < places.end) ask_for(edges, state, kLanes, i + kAhead);
    const Eight own = load<Eight>(state + i * kLanes);
    const double* matrix = g + i * kDimension * kDimension;
    Eight mixed;
    mix_lanes(around(edges, i), state, kLanes, own, 0, mixed);
    Eight after{};
    double moved[kDimension];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kDimension; ++r) {
      after[r] = mixed[r] - step * own[kDimension + r];
      moved[r] = after[r] - own[r];
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kDimension; ++r) {
      double gradient = 0;
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kDimension; ++c) {
        gradient += matrix[r * kDimension + c] * moved[c];
      }
      after[kDimension + r] = mixed[kDimension + r] + gradient;
    }
    if (past) {
      write_past_caches(next + i * kLanes, after);
    } else {
      store<Eight>(next + i * kLanes) = after;
    }
  }
  finish_writing();
}

// The same for the lanes of a V of many trials side by side: what becomes of them stays in
// registers, and every neighbour's row is walked through once.
template <std::size_t kDimension, class V>
SOTTO_INLINE void track_side_by_side(const Around& around, double step, const double* state,
                                     std::size_t lanes, std::size_t stride, const double* own_row,
                                     const double* g, std::size_t lane, double* out) {
  V own[2 * kDimension];
  V mixed[2 * kDimension];
#pragma GCC unroll 8
  for (std::size_t e = 0; e < 2 * kDimension; ++e) {
    mixed[e] = own[e] = load<V>(own_row + e * stride + lane);
  }
  for (std::size_t k = 0; k < around.count; ++k) {
    const double weight = around.weight == nullptr ? around.uniform : around.weight[k];
    const double* row = state + around.neighbour[k] * lanes + lane;
#pragma GCC unroll 8
    for (std::size_t e = 0; e < 2 * kDimension; ++e) {
      mixed[e] += weight * (load<V>(row + e * stride) - own[e]);
    }
  }
  V moved[kDimension];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kDimension; ++r) {
    const V x = mixed[r] - step * own[kDimension + r];
    store<V>(out + r * stride + lane) = x;
    moved[r] = x - own[r];
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kDimension; ++r) {
    V gradient{};
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kDimension; ++c) {
      gradient += load<V>(g + (r * kDimension + c) * stride + lane) * moved[c];
    }
    store<V>(out + (kDimension + r) * stride + lane) = mixed[kDimension + r] + gradient;
  }
}

}  // namespace rounds

std::vector<LanePart> lane_parts(std::size_t lanes) {
  constexpr std::size_t kOfALine = rounds::kLine / sizeof(double);
  const std::size_t rest = lanes % kOfALine;
  const std::size_t whole = lanes - rest;
  std::vector<LanePart> parts;
  if (rest > kOfALine / 2) return {{.first = 0, .count = lanes, .width = whole + kOfALine}};
  if (whole > 0) parts.push_back({.first = 0, .count = whole, .width = whole});
  if (rest > 0) parts.push_back({.first = whole, .count = rest, .width = std::bit_ceil(rest)});
  return parts;
}

SOTTO_VECTORISED void mix_rows(const RoundEdges& edges, const MixingStep& step,
                               std::span<const MixedRows> parts, PlaceRange places) {
  using namespace rounds;
  const std::size_t together = parts.size() == 1 ? places.end - places.begin : kPlacesTogether;
  for (std::size_t begin = places.begin; begin < places.end; begin += together) {
    const PlaceRange some{.begin = begin, .end = std::min(begin + together, places.end)};
    for (const MixedRows& rows : parts) mix_part(edges, step, rows, some, places.end);
  }
  finish_writing();
}

SOTTO_VECTORISED void track_rows(const RoundEdges& edges, double step, const TrackingRows& rows,
                                 const double* state, const double* g, double* next,
                                 double* scratch, PlaceRange places) {
  using namespace rounds;
  // The paper's m, and what large networks are walked with.
  if (rows.trials == 1 && rows.dimension == 3) {
    return track_lines<3>(edges, step, state, g, next, places);
  }
  const std::size_t lanes = rows.lanes();
  if (rows.dimension == 3) {
    for (std::size_t i = places.begin; i < places.end; ++i) {
      const Around near = around(edges, i);
      const double* own = state + i * lanes;
      const double* matrix = g + i * rows.matrix_lanes();
      double* out = next + i * lanes;
      std::size_t trial = 0;
      for (; trial + 8 <= rows.trials; trial += 8) {
        track_side_by_side<3, Eight>(near, step, state, lanes, rows.trials, own, matrix, trial,
                                     out);
      }
      for (; trial < rows.trials; trial += 4) {
        track_side_by_side<3, Four>(near, step, state, lanes, rows.trials, own, matrix, trial, out);
      }
    }
    return;
  }
  double* mixed = scratch;
  double* moved = scratch + lanes;
  const bool ask = bytes_of(edges, lanes) >= kAskFrom;
  for (std::size_t i = places.begin; i < places.end; ++i) {
    if (ask && i + kAhead < places.end) ask_for(edges, state, lanes, i + kAhead);
    const Around near = around(edges, i);
    const double* own = state + i * lanes;
    const double* matrix = g + i * rows.matrix_lanes();
    double* out = next + i * lanes;
    std::size_t lane = 0;
    for (; lane + 8 <= lanes; lane += 8) mix_only<Eight>(near, state, lanes, own, lane, mixed);
    if (lane + 4 <= lanes) {
      mix_only<Four>(near, state, lanes, own, lane, mixed);
      lane += 4;
    }
    for (; lane < lanes; ++lane) mix_only<double>(near, state, lanes, own, lane, mixed);
    std::size_t trial = 0;
    for (; trial + 8 <= rows.trials; trial += 8) {
      track_step<Eight>(rows, step, own, mixed, matrix, trial, moved, out);
    }
    for (; trial + 4 <= rows.trials; trial += 4) {
      track_step<Four>(rows, step, own, mixed, matrix, trial, moved, out);
    }
    for (; trial < rows.trials; ++trial) {
      track_step<double>(rows, step, own, mixed, matrix, trial, moved, out);
    }
  }
}

}  // namespace sotto
