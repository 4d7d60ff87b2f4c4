// Rounds as straight code over rows, for the vector units.
#include "simulate/rounds.h"

#include <cstdint>

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
constexpr std::size_t kAhead = 16;
constexpr int kLevel = 2;
constexpr std::size_t kAskFrom = std::size_t{1} << 22;
constexpr std::size_t kLine = 64;

SOTTO_INLINE void ask_for(const RoundEdges& edges, const double* rows, std::size_t lanes,
                          std::size_t place) {
  for (std::uint64_t e = edges.first[place]; e < edges.first[place + 1]; ++e) {
    const char* row = reinterpret_cast<const char*>(rows + edges.neighbour[e] * lanes);
    const char* end = row + lanes * sizeof(double);
    for (const char* line = row - reinterpret_cast<std::uintptr_t>(row) % kLine; line < end;
         line += kLine) {
      __builtin_prefetch(line, 0, kLevel);
    }
  }
}

SOTTO_INLINE bool large(const RoundEdges& edges, std::size_t lanes) {
  return edges.first.size() * lanes * sizeof(double) >= kAskFrom;
}

template <class V>
SOTTO_INLINE void mix_step(const Around& around, const MixingStep& step, bool plain,
                           const double* y, std::size_t lanes, const double* own, std::size_t lane,
                           double* out) {
  const V current = load<V>(own + lane);
  V mixed;
  mix_lanes(around, y, lanes, current, lane, mixed);
  if (!plain) {
    mixed = step.mixed * mixed + step.current * current + step.previous * load<V>(out + lane);
  }
  store<V>(out + lane) = mixed;
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

SOTTO_VECTORISED void mix_rows(const RoundEdges& edges, const MixingStep& step, std::size_t lanes,
                               const double* y, double* next, PlaceRange places) {
  using namespace rounds;
  // 1·mixed + 0·y + 0·before is what a plain round takes.
  const bool plain = step.mixed == 1 && step.current == 0 && step.previous == 0;
  const bool ask = large(edges, lanes);
  for (std::size_t i = places.begin; i < places.end; ++i) {
    if (ask && i + kAhead < places.end) ask_for(edges, y, lanes, i + kAhead);
    const Around near = around(edges, i);
    const double* own = y + i * lanes;
    double* out = next + i * lanes;
    std::size_t lane = 0;
    for (; lane + 8 <= lanes; lane += 8) {
      mix_step<Eight>(near, step, plain, y, lanes, own, lane, out);
    }
    if (lane + 4 <= lanes) {
      mix_step<Four>(near, step, plain, y, lanes, own, lane, out);
      lane += 4;
    }
    for (; lane < lanes; ++lane) mix_step<double>(near, step, plain, y, lanes, own, lane, out);
  }
}

SOTTO_VECTORISED void track_rows(const RoundEdges& edges, double step, const TrackingRows& rows,
                                 const double* state, const double* g, double* next,
                                 double* scratch, PlaceRange places) {
  using namespace rounds;
  const std::size_t lanes = rows.lanes();
  double* mixed = scratch;
  double* moved = scratch + lanes;
  const bool ask = large(edges, lanes);
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
