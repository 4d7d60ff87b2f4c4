#pragma once

#include "paillier/lane_arithmetic.h"
#include "paillier/unroll.h"

namespace sotto {

// Products of 10 limbs by 10 limbs that stay in registers.
//
// Why radix 2⁵²: AVX512-IFMA multiplies 52 bits by 52 bits in each of eight lanes and
// adds the lower or the upper half of the product to a 64-bit lane. With limbs of 52
// bits the halves fall on limbs i+j and i+j+1, and each lane has room for 2¹² such
// halves before a carry must be moved. No carries inside a product, then: sums of up
// to 4096 halves, one pass of carries at the end (docs/proofs/lanes.md counts them).
//
// Why 10: a tile keeps 20 sums and 10 limbs of one factor in registers and passes the
// limbs of the other one by one: 31 of the 32 registers that there are. 200
// multiplications then need 20 loads.

inline constexpr std::size_t kTile = kBlockLimbs;

template <class Lanes>
struct Tiles {
  using V = typename Lanes::V;

  // Sums for 20 neighbouring limbs: a column of tiles. The lower ten are finished when
  // all tiles of a column are in; the upper ten belong to the next column too.
  using Column = V[2 * kTile];

  [[gnu::always_inline]] static inline void clear(Column& sum) {
    SOTTO_UNROLL(20)
    for (std::size_t i = 0; i < 2 * kTile; ++i) sum[i] = Lanes::zero();
  }

  [[gnu::always_inline]] static inline void next_column(Column& sum) {
    SOTTO_UNROLL(10)
    for (std::size_t i = 0; i < kTile; ++i) {
      sum[i] = sum[kTile + i];
      sum[kTile + i] = Lanes::zero();
    }
  }

  [[gnu::always_inline]] static inline void load(Column& sum, const Vector8* t) {
    SOTTO_UNROLL(20)
    for (std::size_t i = 0; i < 2 * kTile; ++i) sum[i] = Lanes::load(t + i);
  }

  [[gnu::always_inline]] static inline void store(Vector8* t, const Column& sum) {
    SOTTO_UNROLL(20)
    for (std::size_t i = 0; i < 2 * kTile; ++i) Lanes::store(t + i, sum[i]);
  }

  // sum += a·b. A row's lower halves first, then its upper halves: ten independent
  // sums in a row hide the four cycles that a multiplication takes.
  [[gnu::always_inline]] static inline void add_product(Column& sum, const Vector8* a,
                                                        const Vector8* b) {
    V factor[kTile];
    SOTTO_UNROLL(10)
    for (std::size_t i = 0; i < kTile; ++i) factor[i] = Lanes::load(a + i);
    SOTTO_UNROLL(10)
    for (std::size_t j = 0; j < kTile; ++j) {
      const V limb = Lanes::load(b + j);
      SOTTO_UNROLL(10)
      for (std::size_t i = 0; i < kTile; ++i) {
        sum[i + j] = Lanes::add_low(sum[i + j], factor[i], limb);
      }
      SOTTO_UNROLL(10)
      for (std::size_t i = 0; i < kTile; ++i) {
        sum[i + j + 1] = Lanes::add_high(sum[i + j + 1], factor[i], limb);
      }
    }
  }

  // sum += Σ_{i<j} aᵢaⱼ·2^(52(i+j)): the half of a square that will be doubled.
  [[gnu::always_inline]] static inline void add_triangle(Column& sum, const Vector8* a) {
    V factor[kTile];
    SOTTO_UNROLL(10)
    for (std::size_t i = 0; i < kTile; ++i) factor[i] = Lanes::load(a + i);
    SOTTO_UNROLL(10)
    for (std::size_t j = 0; j < kTile; ++j) {
      SOTTO_UNROLL(10)
      for (std::size_t i = j + 1; i < kTile; ++i) {
        sum[i + j] = Lanes::add_low(sum[i + j], factor[i], factor[j]);
      }
      SOTTO_UNROLL(10)
      for (std::size_t i = j + 1; i < kTile; ++i) {
        sum[i + j + 1] = Lanes::add_high(sum[i + j + 1], factor[i], factor[j]);
      }
    }
  }

  // Montgomery's step for ten limbs of t: finds q with t + q·n ≡ 0 mod 2^520 and adds q·n
  // (n: its lowest ten limbs), limb by limb:
  //
  //     qⱼ = tⱼ·(−n⁻¹) mod 2⁵²
  //
  // Each q waits for the one before, so the way from qⱼ to tⱼ₊₁ is kept short. The lower half
  // of qⱼ·n₀ is not multiplied out: it makes tⱼ a multiple of 2⁵², the next one above, so
  // all that it leaves is the carry ⌈tⱼ/2⁵²⌉. And the two products that go into tⱼ₊₁ are made
  // side by side. The ten lower limbs are 0 from here on and not written.
  [[gnu::noinline]] static void reduce(Vector8* t, Vector8* q, const Vector8* n,
                                       const Vector8* minus_inverse) {
    const V mask = Lanes::broadcast(kLimbMask);
    const V inverse = Lanes::load(minus_inverse);
    Column sum;
    load(sum, t);
    V factor[kTile];
    SOTTO_UNROLL(10)
    for (std::size_t i = 0; i < kTile; ++i) factor[i] = Lanes::load(n + i);
    SOTTO_UNROLL(10)
    for (std::size_t j = 0; j < kTile; ++j) {
      const V quotient = Lanes::add_low(Lanes::zero(), sum[j], inverse);
      Lanes::store(q + j, quotient);
      const V carried = Lanes::carry(Lanes::add(sum[j], mask));
      const V low = Lanes::add_low(Lanes::add(sum[j + 1], carried), factor[1], quotient);
      const V high = Lanes::add_high(Lanes::zero(), factor[0], quotient);
      sum[j + 1] = Lanes::add(low, high);
      SOTTO_UNROLL(10)
      for (std::size_t i = 2; i < kTile; ++i) {
        sum[i + j] = Lanes::add_low(sum[i + j], factor[i], quotient);
      }
      SOTTO_UNROLL(10)
      for (std::size_t i = 1; i < kTile; ++i) {
        sum[i + j + 1] = Lanes::add_high(sum[i + j + 1], factor[i], quotient);
      }
    }
    SOTTO_UNROLL(10)
    for (std::size_t i = kTile; i < 2 * kTile; ++i) Lanes::store(t + i, sum[i]);
  }
};

}  // namespace sotto
