#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::paillier {

// What the lane arithmetic (ifma.h, lane_templates.h) stands on. It is written once, as
// templates over a type `Lanes` that has eight lanes of 64 bits and the operations below,
// each of which is one AVX512 instruction:
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
// ifma_avx512.cpp maps them onto the processor's instructions; the tests' emulated lanes are
// the same in plain C++, so that everything above these lines can be tested on any
// processor. fma_avx2.cpp uses lane_templates.h with half a vector at a time.

inline constexpr std::size_t kLanes = 8;
inline constexpr unsigned kLimbBits = 52;
inline constexpr std::uint64_t kLimbMask = (std::uint64_t{1} << kLimbBits) - 1;

// A vector as it lies in memory. A number of L limbs in radix 2⁵² is an array of L
// vectors: vector i holds limb i of eight numbers.
struct alignas(64) Vector8 {
  std::uint64_t lane[kLanes];
};

// Eight numbers x = x₀ + x₁·n modulo n² as one pair: 2L vectors, the limbs of x₀, then
// those of x₁. Every lane has its own n: p and q of one key can share a vector.
//
// Between operations x₀ and x₁ are below 2n, and x stands for x·R⁻¹ with R = 2^(52L)
// (Montgomery form). R ≥ 16n makes both bounds hold again after each operation
// (docs/proofs/lanes.md).
struct LaneModulus {
  std::size_t blocks;            // L = kBlockLimbs·blocks
  std::size_t lanes;             // in use, the first ones: the others may be left as they are
  const Vector8* n;              // L vectors
  const Vector8* one_minus_r;    // L vectors: (1 − R) mod n
  const Vector8* minus_inverse;  // kInverseLimbs vectors: −n⁻¹ mod 2^(52·kInverseLimbs)
};
inline constexpr std::size_t kInverseLimbs = 5;
inline constexpr std::size_t kMoreScratch = 8;

// 10 limbs are 520 bits, a little more than 512, so keys of 1024·k bits and their primes fill
// their blocks.
inline constexpr std::size_t kBlockLimbs = 10;

// The operations that are made of vector instructions, for one kind of lanes: all that
// is compiled for a special processor, and nothing else. `scratch` has 5L + kMoreScratch
// vectors.
struct LaneArithmetic {
  std::string_view name;  // of the kernel: "ifma" | "fma"
  std::size_t width;      // lanes that one instruction takes: up to as many cost the same

  // z = x·y and z = x². z may be x or y.
  void (*multiply)(const LaneModulus& modulus, Vector8* z, const Vector8* x, const Vector8* y,
                   Vector8* scratch);
  void (*square)(const LaneModulus& modulus, Vector8* z, const Vector8* x, Vector8* scratch);

  // z = x·R⁻¹, out of Montgomery form, with z₀ and z₁ in [0, n).
  void (*leave)(const LaneModulus& modulus, Vector8* z, const Vector8* x, Vector8* scratch);

  // out = table[digit] in each lane, from `entries` pairs in a row. Reads all of them.
  void (*select)(const LaneModulus& modulus, Vector8* out, const Vector8* table,
                 std::size_t entries, const Vector8& digits);

  // The same from a table that all lanes share, eight entries to a vector: lane j of
  // vector i of octet o is limb i of entry 8o + j. Lane l gets entry 8·octet + place.
  void (*select_shared)(const LaneModulus& modulus, Vector8* out, const Vector8* table,
                        std::size_t octets, const Vector8& octet, const Vector8& place);
};

// nullptr where the processor does not have the instructions.
[[nodiscard]] const LaneArithmetic* avx512_arithmetic();  // "ifma": AVX512-IFMA
[[nodiscard]] const LaneArithmetic* avx2_arithmetic();    // "fma": AVX2 and FMA

// Of the kernel with this name; nullptr for "portable", and for one that does not run here.
[[nodiscard]] const LaneArithmetic* lane_arithmetic(std::string_view kernel);

// n has at most this many limbs: above, sums could overflow 64 bits (docs/proofs/lanes.md).
inline constexpr std::size_t kMaxLimbs = 680;

}  // namespace sotto::paillier
