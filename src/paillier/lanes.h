#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto {

// What the lane arithmetic (ifma_tiles.h, ifma_pairs.h, lane_subtraction.h, lane_lookup.h)
// stands on. It is written once, as templates over a type `Lanes` that has eight lanes of
// 64 bits and the operations below, each of which is one AVX512 instruction:
//
//     kName, kWidth             for LaneArithmetic
//     V, Mask                   eight numbers; eight booleans
//     zero(), broadcast(w)      all lanes 0; all lanes w
//     load(p), store(p, v)      aligned to 64 bytes
//     add(a, b)                 a + b mod 2⁶⁴
//     both(a, b)                a AND b
//     only_second(a, b)         (NOT a) AND b
//     carry(a)                  a >> 52
//     add_low(c, a, b)          c + (a·b mod 2⁵²), of a and b only the low 52 bits count
//     add_high(c, a, b)         c + ⌊a·b / 2⁵²⌋,   likewise
//     equal(a, b)               mask of lanes with a = b
//     choose(m, a, b)           lanes of b where m holds, of a elsewhere
//     keep(m, a, b)             the same for an a that is 0 where m holds
//     look_up(m, a, i, p)       keep(m, a, b) with lanes b = (*p)[i mod 8]
//     kKept                     vectors that a scan keeps in registers; divides 20
//
// ifma_avx512.cpp maps them onto the processor's instructions; lanes_emulated.h is
// the same in plain C++, so that everything above these lines can be tested on any
// processor. fma_avx2.cpp uses the last two files with half a vector at a time.

inline constexpr std::size_t kLanes = 8;
inline constexpr unsigned kLimbBits = 52;
inline constexpr std::uint64_t kLimbMask = (std::uint64_t{1} << kLimbBits) - 1;

// A vector as it lies in memory. A number of L limbs in radix 2⁵² is an array of L
// vectors: vector i holds limb i of eight numbers.
struct alignas(64) Vector8 {
  std::uint64_t lane[kLanes];
};

}  // namespace sotto
