#pragma once

#include "paillier/kernels/lane_templates.h"

// The lane arithmetic with multiplications of 52 bits: tiles in registers, pairs made of them.
namespace sotto::paillier {

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

// Multiplication modulo n² on pairs x = x₀ + x₁·n.
//
// Modulo n² the product of two pairs is x₀y₀ + (x₀y₁ + x₁y₀)·n; x₁y₁·n² is gone. What
// remains to be done is to bring x₀y₀ below n and to move what is above into the second
// part. Montgomery's reduction modulo n does just that. It finds q with
//
//     x₀y₀ + q·n = z₀·R,   so   x₀y₀·R⁻¹ = z₀ − q·R⁻¹·n
//
// and the quotient, which everyone else throws away, is what the second part needs:
//
//     (x·y)·R⁻¹ ≡ z₀ + (x₀y₁ + x₁y₀ − q)·R⁻¹·n   mod n²
//
//     z₀ = redc(x₀y₀)                  L² + L² limb products
//     z₁ = redc(x₀y₁ + x₁y₀ − q)      2L² + L²
//
// Five L² limb products, each two instructions: 10L². Montgomery's multiplication modulo
// n², with numbers of 2L limbs, takes 16L². A square takes 7L² instead of 12L².
template <class Lanes>
struct Pairs {
  using V = typename Lanes::V;
  using Tile = Tiles<Lanes>;
  using Column = typename Tile::Column;

  // z₀ + z₁·n = x·y·R⁻¹.
  static void multiply(const LaneModulus& modulus, Vector8* z, const Vector8* x, const Vector8* y,
                       Vector8* scratch) {
    const std::size_t blocks = modulus.blocks;
    const Scratch at(scratch, blocks);
    const Factors low[] = {{x, y}};
    const Factors high[] = {{x, y + at.limbs}, {x + at.limbs, y}};
    add_up<kOnce>(at.low, low, 1, blocks);
    add_up<kOnce>(at.high, high, 2, blocks);
    reduce_pair(modulus, z, at);
  }

  static void square(const LaneModulus& modulus, Vector8* z, const Vector8* x, Vector8* scratch) {
    const Scratch at(scratch, modulus.blocks);
    const Factors high[] = {{x, x + at.limbs}};
    square_low(at.low, x, modulus.blocks);
    add_up<kTwice>(at.high, high, 1, modulus.blocks);
    reduce_pair(modulus, z, at);
  }

  // A product with the pair (1, 0), and then each part brought from [0, n+2] into [0, n).
  static void leave(const LaneModulus& modulus, Vector8* z, const Vector8* x, Vector8* scratch) {
    const Scratch at(scratch, modulus.blocks);
    for (std::size_t i = 0; i < at.limbs; ++i) {
      Lanes::store(at.low + i, Lanes::load(x + i));
      Lanes::store(at.high + i, Lanes::load(x + at.limbs + i));
      Lanes::store(at.low + at.limbs + i, Lanes::zero());
      Lanes::store(at.high + at.limbs + i, Lanes::zero());
    }
    reduce_pair(modulus, z, at);
    LastSubtraction<Lanes>::apply(modulus, z, at.q);
  }

 private:
  struct Factors {
    const Vector8* x;
    const Vector8* y;
  };

  struct Scratch {
    std::size_t limbs;
    Vector8* low;   // 2L: x₀y₀
    Vector8* high;  // 2L: x₀y₁ + x₁y₀
    Vector8* q;     // L
    Scratch(Vector8* scratch, std::size_t blocks)
        : limbs(kTile * blocks), low(scratch), high(scratch + 2 * limbs), q(scratch + 4 * limbs) {}
  };

  enum Times { kOnce, kTwice };

  // t = Σ x·y over the factors, or twice that, carries left in place. By columns: all tiles that
  // contribute to the same limbs come one after the other, and the sums of a column stay
  // in registers until it is complete.
  template <Times times>
  [[gnu::noinline]] static void add_up(Vector8* t, const Factors* factors, std::size_t count,
                                       std::size_t blocks) {
    Column sum;
    Tile::clear(sum);
    for (std::size_t k = 0; k < 2 * blocks; ++k) {
      const std::size_t first = k < blocks ? 0 : k - blocks + 1;
      for (std::size_t f = 0; f < count; ++f) {
        for (std::size_t i = first; i < blocks && i <= k; ++i) {
          Tile::add_product(sum, factors[f].x + kTile * i, factors[f].y + kTile * (k - i));
        }
      }
      SOTTO_UNROLL(10)
      for (std::size_t i = 0; i < kTile; ++i) {
        const V limb = times == kTwice ? Lanes::add(sum[i], sum[i]) : sum[i];
        Lanes::store(t + kTile * k + i, limb);
      }
      Tile::next_column(sum);
    }
  }

  // t = x²: every product xᵢxⱼ with i < j once, doubled when its column is complete, then
  // the squares xᵢ² on limbs 2i and 2i+1. What goes on to the next column is not doubled.
  [[gnu::noinline]] static void square_low(Vector8* t, const Vector8* x, std::size_t blocks) {
    Column sum;
    Tile::clear(sum);
    for (std::size_t k = 0; k < 2 * blocks; ++k) {
      const std::size_t first = k < blocks ? 0 : k - blocks + 1;
      for (std::size_t i = first; 2 * i < k; ++i) {
        Tile::add_product(sum, x + kTile * i, x + kTile * (k - i));
      }
      if (k % 2 == 0) Tile::add_triangle(sum, x + kTile * (k / 2));
      SOTTO_UNROLL(5)
      for (std::size_t i = 0; i < kTile; i += 2) {
        const V limb = Lanes::load(x + (kTile * k + i) / 2);
        const V even = Lanes::add(sum[i], sum[i]);
        const V odd = Lanes::add(sum[i + 1], sum[i + 1]);
        Lanes::store(t + kTile * k + i, Lanes::add_low(even, limb, limb));
        Lanes::store(t + kTile * k + i + 1, Lanes::add_high(odd, limb, limb));
      }
      Tile::next_column(sum);
    }
  }

  // z₀ = redc(low) with quotient q, z₁ = redc(high − q). As sums know no negative numbers,
  // −q is written as ((1 − R) mod n) + (R − 1 − q): the second part is q with each of its
  // 52·L bits flipped.
  [[gnu::always_inline]] static inline void reduce_pair(const LaneModulus& modulus, Vector8* z,
                                                        const Scratch& at) {
    reduce(modulus, z, at.q, at.low);
    const V mask = Lanes::broadcast(kLimbMask);
    for (std::size_t i = 0; i < at.limbs; ++i) {
      const V flipped = Lanes::only_second(Lanes::load(at.q + i), mask);
      const V minus_q = Lanes::add(flipped, Lanes::load(modulus.one_minus_r + i));
      Lanes::store(at.high + i, Lanes::add(Lanes::load(at.high + i), minus_q));
    }
    reduce(modulus, z + at.limbs, at.q, at.high);
  }

  // z = (t + q·n)/R with q = t·(−n⁻¹) mod R; limbs of z below 2⁵². Column by column again,
  // in t itself: a column of the lower half is complete when the earlier blocks of q are in,
  // and yields the next block; the upper half is z, but for the carries.
  [[gnu::noinline]] static void reduce(const LaneModulus& modulus, Vector8* z, Vector8* q,
                                       Vector8* t) {
    const std::size_t blocks = modulus.blocks;
    const Vector8* n = modulus.n;
    for (std::size_t k = 0; k < blocks; ++k) {
      if (k > 0) add_run(t + kTile * k, n + kTile * k, q, k);
      Tile::reduce(t + kTile * k, q + kTile * k, n, modulus.minus_inverse);
    }
    for (std::size_t k = 1; k < blocks; ++k) {
      add_run(t + kTile * (blocks + k - 1), n + kTile * (blocks - 1), q + kTile * k, blocks - k);
    }
    const V mask = Lanes::broadcast(kLimbMask);
    V carried = Lanes::zero();
    for (std::size_t i = 0; i < kTile * blocks; ++i) {
      const V limb = Lanes::add(carried, Lanes::load(t + kTile * blocks + i));
      Lanes::store(z + i, Lanes::both(limb, mask));
      carried = Lanes::carry(limb);
    }
  }

  // t += Σ_{i<count} a₋ᵢ·bᵢ, by tiles: `a` walks down while `b` walks up.
  [[gnu::noinline]] static void add_run(Vector8* t, const Vector8* a, const Vector8* b,
                                        std::size_t count) {
    Column sum;
    Tile::load(sum, t);
    for (std::size_t i = 0; i < count; ++i) Tile::add_product(sum, a - kTile * i, b + kTile * i);
    Tile::store(t, sum);
  }
};

template <class Lanes>
inline constexpr LaneArithmetic kArithmeticOf{Lanes::kName,
                                              Lanes::kWidth,
                                              &Pairs<Lanes>::multiply,
                                              &Pairs<Lanes>::square,
                                              &Pairs<Lanes>::leave,
                                              &Lookup<Lanes>::select,
                                              &Lookup<Lanes>::select_shared};

}  // namespace sotto::paillier
