// One body, compiled for three kinds of processors; all operations are exact or rounded once, in
// the same order, so the bits are the same on all of them.
#include "privacy/noise/lane_draws.h"

#include <bit>

#include "base/check.h"

#define SOTTO_LANE_INLINE inline __attribute__((always_inline))

namespace sotto::noise {
namespace lanes {

using Words = std::uint64_t __attribute__((vector_size(64)));
using Signed = std::int64_t __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));

SOTTO_LANE_INLINE void rotate(const Words& x, int by, Words& out) {
  out = (x << by) | (x >> (64 - by));
}

// splitmix64, as base/xoshiro.h has it.
SOTTO_LANE_INLINE void splitmix(Words& x, Words& out) {
  x += 0x9e3779b97f4a7c15;
  Words z = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  out = z ^ (z >> 31);
}

SOTTO_LANE_INLINE void begin(const std::uint64_t* seeds, const std::uint64_t* streams,
                             LaneStates& states) {
  Words x;
  Words mixed;
  __builtin_memcpy(&x, streams, sizeof(x));
  x += 0x632be59bd9b4e019;
  splitmix(x, mixed);
  __builtin_memcpy(&x, seeds, sizeof(x));
  x ^= mixed;
  for (auto& word : states.word) {
    Words drawn;
    splitmix(x, drawn);
    __builtin_memcpy(word.data(), &drawn, sizeof(drawn));
  }
}

SOTTO_LANE_INLINE bool all(const Signed& mask) {
  using Four = std::int64_t __attribute__((vector_size(32)));
  const Four halves = __builtin_shufflevector(mask, mask, 0, 1, 2, 3) &
                      __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
  return (halves[0] & halves[1] & halves[2] & halves[3]) != 0;
}

// The outer and the inner end of the layer that each lane's bits choose: a pair is one load, even
// and odd lanes are put together apart, and two shuffles divide them.
SOTTO_LANE_INLINE void look_up(const Ziggurat& z, const Words& bits, Doubles& outer,
                               Doubles& inner) {
  using Pair = double __attribute__((vector_size(16)));
  using Four = double __attribute__((vector_size(32)));
  const Words layers = bits & 0xff;
  Pair ends[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    __builtin_memcpy(&ends[l], z.ends[layers[l]].data(), sizeof(Pair));
  }
  const Four even_low = __builtin_shufflevector(ends[0], ends[2], 0, 1, 2, 3);
  const Four even_high = __builtin_shufflevector(ends[4], ends[6], 0, 1, 2, 3);
  const Four odd_low = __builtin_shufflevector(ends[1], ends[3], 0, 1, 2, 3);
  const Four odd_high = __builtin_shufflevector(ends[5], ends[7], 0, 1, 2, 3);
  const Doubles even = __builtin_shufflevector(even_low, even_high, 0, 1, 2, 3, 4, 5, 6, 7);
  const Doubles odd = __builtin_shufflevector(odd_low, odd_high, 0, 1, 2, 3, 4, 5, 6, 7);
  outer = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
  inner = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
}

SOTTO_LANE_INLINE void normals(const Ziggurat& z, LaneStates& states, double* out,
                               std::size_t count) {
  Words s0;
  Words s1;
  Words s2;
  Words s3;
  const auto load = [&] {
    __builtin_memcpy(&s0, states.word[0].data(), sizeof(s0));
    __builtin_memcpy(&s1, states.word[1].data(), sizeof(s1));
    __builtin_memcpy(&s2, states.word[2].data(), sizeof(s2));
    __builtin_memcpy(&s3, states.word[3].data(), sizeof(s3));
  };
  const auto save = [&] {
    __builtin_memcpy(states.word[0].data(), &s0, sizeof(s0));
    __builtin_memcpy(states.word[1].data(), &s1, sizeof(s1));
    __builtin_memcpy(states.word[2].data(), &s2, sizeof(s2));
    __builtin_memcpy(states.word[3].data(), &s3, sizeof(s3));
  };
  load();
  for (std::size_t k = 0; k < count; ++k, out += kLanes) {
    Words bits;
    rotate(s0 + s3, 23, bits);
    bits += s0;
    const Words t = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    rotate(s3, 45, s3);

    Doubles width;
    Doubles inner;
    look_up(z, bits, width, inner);
    // (k + ½)·2⁻⁵² of the upper 52 bits, by way of a number in [1, 2): every step is exact.
    const Words in_one_to_two = (bits >> 12) | 0x3ff0000000000000;
    Doubles place;
    __builtin_memcpy(&place, &in_one_to_two, sizeof(place));
    const Doubles x = ((place - 1.0) + 0x1p-53) * width;
    Words signed_x;
    __builtin_memcpy(&signed_x, &x, sizeof(x));
    signed_x |= (bits & 0x100) << 55;
    __builtin_memcpy(out, &signed_x, sizeof(signed_x));
    const Signed straight = x < inner;
    if (all(straight)) [[likely]]
      continue;
    save();
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (straight[l] != 0) continue;
      FastDraws draws(states.lane(l));
      out[l] = draws.normal_from(bits[l]);
      states.set_lane(l, draws.state());
    }
    load();
  }
  save();
}

SOTTO_LANE_INLINE void round(const double* in, const WordSigma* sigmas, std::size_t count,
                             std::size_t rows, std::int64_t* out) {
  for (std::size_t k = 0, s = 0; k < rows; ++k, s = s + 1 == count ? 0 : s + 1) {
    Doubles x;
    __builtin_memcpy(&x, in + k * kLanes, sizeof(x));
    x = sigmas[s].sigma * x;
    Signed whole = __builtin_convertvector(x, Signed);
    const Doubles rest = x - __builtin_convertvector(whole, Doubles);
    // Comparisons are −1 where they hold.
    whole -= (rest >= 0.5);
    whole += (rest <= -0.5);
    __builtin_memcpy(out + k * kLanes, &whole, sizeof(whole));
  }
}

#if defined(__x86_64__)
#define SOTTO_AVX512 __attribute__((target("avx512f,avx512dq")))
#define SOTTO_AVX2 __attribute__((target("avx2")))
SOTTO_AVX512 void begin_avx512(const std::uint64_t* seeds, const std::uint64_t* streams,
                               LaneStates& states) {
  begin(seeds, streams, states);
}
SOTTO_AVX512 void normals_avx512(LaneStates& states, double* out, std::size_t count) {
  normals(ziggurat(), states, out, count);
}
SOTTO_AVX512 void round_avx512(const double* in, const WordSigma* sigmas, std::size_t count,
                               std::size_t rows, std::int64_t* out) {
  round(in, sigmas, count, rows, out);
}
SOTTO_AVX2 void begin_avx2(const std::uint64_t* seeds, const std::uint64_t* streams,
                           LaneStates& states) {
  begin(seeds, streams, states);
}
SOTTO_AVX2 void normals_avx2(LaneStates& states, double* out, std::size_t count) {
  normals(ziggurat(), states, out, count);
}
SOTTO_AVX2 void round_avx2(const double* in, const WordSigma* sigmas, std::size_t count,
                           std::size_t rows, std::int64_t* out) {
  round(in, sigmas, count, rows, out);
}
#endif
void begin_portable(const std::uint64_t* seeds, const std::uint64_t* streams, LaneStates& states) {
  begin(seeds, streams, states);
}
void normals_portable(LaneStates& states, double* out, std::size_t count) {
  normals(ziggurat(), states, out, count);
}
void round_portable(const double* in, const WordSigma* sigmas, std::size_t count, std::size_t rows,
                    std::int64_t* out) {
  round(in, sigmas, count, rows, out);
}

// What this processor takes.
struct Kernels {
  decltype(&begin_portable) begin = begin_portable;
  decltype(&normals_portable) normals = normals_portable;
  decltype(&round_portable) round = round_portable;

  Kernels() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
      begin = begin_avx512;
      normals = normals_avx512;
      round = round_avx512;
    } else if (__builtin_cpu_supports("avx2")) {
      begin = begin_avx2;
      normals = normals_avx2;
      round = round_avx2;
    }
#endif
  }
};

const Kernels& kernels() {
  static const Kernels chosen;
  return chosen;
}

}  // namespace lanes

void begin_lanes(const std::array<std::uint64_t, kLanes>& seeds,
                 const std::array<std::uint64_t, kLanes>& streams, LaneStates& states) {
  lanes::kernels().begin(seeds.data(), streams.data(), states);
}

void draw_normals(LaneStates& states, std::span<double> normals) {
  check(normals.size() % kLanes == 0, "whole rows");
  lanes::kernels().normals(states, normals.data(), normals.size() / kLanes);
}

void round_normals(std::span<const double> normals, std::span<const WordSigma> sigmas,
                   std::span<std::int64_t> words) {
  check(words.size() == normals.size() && !sigmas.empty(), "a place for every number");
  lanes::kernels().round(normals.data(), sigmas.data(), sigmas.size(), normals.size() / kLanes,
                         words.data());
}

}  // namespace sotto::noise
