#pragma once

#include <string_view>

#include "paillier/lanes.h"

namespace sotto {

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

}  // namespace sotto
