#pragma once

#include "paillier/lanes.h"

namespace sotto {

// Eight numbers x = x₀ + x₁·n modulo n² as one pair: 2L vectors, the limbs of x₀, then
// those of x₁. Every lane has its own n: p and q of one key can share a vector.
//
// Between operations x₀ and x₁ are below 2n, and x stands for x·R⁻¹ with R = 2^(52L)
// (Montgomery form). R ≥ 16n makes both bounds hold again after each operation
// (docs/proofs/ifma.md).
struct LaneModulus {
  std::size_t blocks;            // L = 10·blocks
  const Vector8* n;              // L vectors
  const Vector8* one_minus_r;    // L vectors: (1 − R) mod n
  const Vector8* minus_inverse;  // one vector: −n⁻¹ mod 2⁵²
};

// The operations that are made of vector instructions, for one kind of lanes: all that
// is compiled for a special processor, and nothing else. `scratch` has 5L vectors.
struct LaneArithmetic {
  // z = x·y and z = x². z may be x or y.
  void (*multiply)(const LaneModulus& modulus, Vector8* z, const Vector8* x, const Vector8* y,
                   Vector8* scratch);
  void (*square)(const LaneModulus& modulus, Vector8* z, const Vector8* x, Vector8* scratch);

  // z = x·R⁻¹, out of Montgomery form, with z₀ and z₁ in [0, n).
  void (*leave)(const LaneModulus& modulus, Vector8* z, const Vector8* x, Vector8* scratch);

  // out = table[digit] in each lane, from `entries` pairs in a row. Reads all of them.
  void (*select)(Vector8* out, const Vector8* table, std::size_t entries, std::size_t blocks,
                 const Vector8& digits);

  // The same from a table that all lanes share, eight entries to a vector: lane j of
  // vector i of octet o is limb i of entry 8o + j. Lane l gets entry 8·octet + place.
  void (*select_shared)(Vector8* out, const Vector8* table, std::size_t octets, std::size_t blocks,
                        const Vector8& octet, const Vector8& place);
};

// Only where ifma_supported().
[[nodiscard]] const LaneArithmetic& avx512_arithmetic();

// n has at most this many limbs: above, sums could overflow 64 bits (docs/proofs/ifma.md).
inline constexpr std::size_t kMaxLimbs = 680;

}  // namespace sotto
