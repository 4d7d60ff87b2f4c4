#pragma once

#include <immintrin.h>

#include "paillier/kernels/lane_templates.h"

namespace sotto::paillier {

// Products of limbs of 52 bits without an instruction for them: four at a time on the units
// for real numbers, which every x86 processor since 2013 has (AVX2 and FMA).
//
// A fused multiplication a·b + c is exact before it is rounded, once, to 53 bits. Let a and
// b be integers below 2⁵², written as reals, and let rounding be towards zero. Then
//
//     upper = a·b + 2¹⁰⁴               keeps the bits from 2⁵² on: 2¹⁰⁴ + ⌊a·b/2⁵²⌋·2⁵²
//     lower = a·b + (2¹⁰⁴ + 2⁵² − upper)   is exact:               2⁵² + (a·b mod 2⁵²)
//
// as the difference is exact and lower is below 2⁵³. In memory a real of [2ᵏ, 2ᵏ⁺¹) is a
// fixed exponent on top of 52 bits, so the bits of upper and lower *are* the two halves of the
// product, each with a constant above it. They are added up as integers; the constants
// are subtracted once for a whole column, whose number of products is known, and wrap
// around modulo 2⁶⁴ in the meantime (docs/proofs/lanes.md).
//
// Two multiplications, a subtraction and two sums for 52 × 52 bits in four lanes. Products of
// 28 by 28 bits (vpmuludq) would need a third more instructions, as there are 3.4 times as
// many of them.
//
// `Lanes4` is half a vector. It also names the file that compiles this, so that no linker takes it
// for another's.
template <class Lanes4>
struct FmaLimbs {
  using Words = __m256i;  // four integers
  using Reals = __m256d;  // four reals: integers in [0, 2⁵²)

  static constexpr std::size_t kStrip = kInverseLimbs;
  static_assert(kBlockLimbs % kStrip == 0);

  static constexpr std::uint64_t kLowerTop = std::uint64_t{0x433} << kLimbBits;  // of 2⁵²
  static constexpr std::uint64_t kUpperTop = std::uint64_t{0x467} << kLimbBits;  // of 2¹⁰⁴

#define SOTTO_INLINE [[gnu::always_inline]] static inline

  SOTTO_INLINE Words limb(Words a) {
    return Lanes4::both(a, Lanes4::broadcast(kLimbMask));
  }

  // An integer below 2⁵² as a real, and 2⁵² − 1 minus that real as an integer.
  SOTTO_INLINE Reals real(Words limb) {
    const Words shifted = _mm256_or_si256(limb, Lanes4::broadcast(kLowerTop));
    return _mm256_sub_pd(_mm256_castsi256_pd(shifted), _mm256_set1_pd(0x1p52));
  }
  SOTTO_INLINE Words flipped(Reals limb) {
    const Reals shifted = _mm256_add_pd(limb, _mm256_set1_pd(0x1p52));
    return _mm256_xor_si256(_mm256_castpd_si256(shifted), Lanes4::broadcast(kLowerTop | kLimbMask));
  }

  // The two halves of a·b, each with its constant.
  SOTTO_INLINE void add_product(Words& low, Words& high, Reals a, Reals b) {
    const Reals upper = _mm256_fmadd_pd(a, b, _mm256_set1_pd(0x1p104));
    const Reals rest = _mm256_sub_pd(_mm256_set1_pd(0x1p104 + 0x1p52), upper);
    const Reals lower = _mm256_fmadd_pd(a, b, rest);
    low = Lanes4::add(low, _mm256_castpd_si256(lower));
    high = Lanes4::add(high, _mm256_castpd_si256(upper));
  }

  // t += a·b for five limbs of a and `count` of b. The five limbs, the six sums that they meet
  // and the two constants stay in registers, 13 of 16; every limb of b then needs two loads and
  // a store for its five products.
  [[gnu::noinline]] static void add_strip(Words* t, const Reals* a, const Reals* b,
                                          std::size_t count) {
    Reals factor[kStrip];
    Words sum[kStrip + 1];
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) {
      factor[i] = a[i];
      sum[i] = t[i];
    }
    for (std::size_t j = 0; j < count; ++j) {
      const Reals limb_of_b = b[j];
      sum[kStrip] = t[j + kStrip];
      SOTTO_UNROLL(5)
      for (std::size_t i = 0; i < kStrip; ++i) {
        add_product(sum[i], sum[i + 1], factor[i], limb_of_b);
      }
      t[j] = sum[0];
      SOTTO_UNROLL(5)
      for (std::size_t i = 0; i < kStrip; ++i) sum[i] = sum[i + 1];
    }
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) t[count + i] = sum[i];
  }

  // t += a·b, `limbs` of each.
  static void add_all(Words* t, const Reals* a, const Reals* b, std::size_t limbs) {
    for (std::size_t i = 0; i < limbs; i += kStrip) add_strip(t + i, a + i, b, limbs);
  }

  // t += Σ_{i<j} aᵢaⱼ·2^(52(i+j)): the half of a square that will be doubled.
  static void add_all_above_diagonal(Words* t, const Reals* a, std::size_t limbs) {
    for (std::size_t i = 0; i < limbs; i += kStrip) {
      add_triangle(t + 2 * i, a + i);
      const std::size_t next = i + kStrip;
      add_strip(t + i + next, a + i, a + next, limbs - next);
    }
  }

  // The constants that a column has got: those of `products` products of L by L limbs. On
  // column c lie the lower halves of min(c + 1, 2L − 1 − c) products, and the upper halves of
  // as many as there are lower ones on column c − 1.
  class Constants {
   public:
    Constants(std::size_t limbs, std::size_t products)
        : middle_(limbs),
          step_(Lanes4::broadcast(0 - products * (kLowerTop + kUpperTop))),
          across_(Lanes4::broadcast(0 - products * (kUpperTop - kLowerTop))),
          minus_(Lanes4::broadcast(0 - products * kLowerTop)) {}

    // Minus the constants of column 0, 1, …
    [[gnu::always_inline]] Words next() {
      const Words result = minus_;
      ++column_;
      minus_ = column_ < middle_    ? Lanes4::add(minus_, step_)
               : column_ == middle_ ? Lanes4::add(minus_, across_)
                                    : _mm256_sub_epi64(minus_, step_);
      return result;
    }

   private:
    std::size_t column_ = 0;
    std::size_t middle_;
    Words step_;
    Words across_;
    Words minus_;
  };

  // q with t + q·n ≡ 0 mod 2²⁶⁰, for the five limbs at t, from w = −n⁻¹ mod 2²⁶⁰. All five at
  // once, t·w mod 2²⁶⁰: one after the other (qⱼ = tⱼ·w mod 2⁵²) would take fifteen products
  // less, but each waits some 30 cycles for the one before.
  [[gnu::always_inline]] static inline void quotient(Reals* q, const Words* t, const Reals* w) {
    Reals low[kStrip];
    Words carried = Lanes4::zero();
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) {
      // t lacks what q·n will add, and has been given minus its constants.
      const Words sum =
          Lanes4::add(Lanes4::add(t[i], Lanes4::broadcast(constants_of_triangle(i))), carried);
      carried = Lanes4::carry(sum);
      low[i] = real(limb(sum));
    }
    Words sum[kStrip + 1];
    SOTTO_UNROLL(6)
    for (std::size_t i = 0; i <= kStrip; ++i)
      sum[i] = Lanes4::broadcast(0 - constants_of_triangle(i));
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) {
      SOTTO_UNROLL(5)
      for (std::size_t j = 0; i + j < kStrip; ++j) {
        add_product(sum[i + j], sum[i + j + 1], low[i], w[j]);
      }
    }
    carried = Lanes4::zero();
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) {
      const Words total = Lanes4::add(sum[i], carried);
      carried = Lanes4::carry(total);
      q[i] = real(limb(total));
    }
  }

  // Five limbs that are 0 modulo 2²⁶⁰: what they carry to the sixth.
  [[gnu::always_inline]] static inline void pass_carry(Words* t) {
    Words carried = Lanes4::zero();
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) carried = Lanes4::carry(Lanes4::add(t[i], carried));
    t[kStrip] = Lanes4::add(t[kStrip], carried);
  }

 private:
  // On limb i of a product of which only the lowest limbs are made.
  static constexpr std::uint64_t constants_of_triangle(std::size_t i) {
    return (i + 1) * kLowerTop + i * kUpperTop;
  }

  [[gnu::noinline]] static void add_triangle(Words* t, const Reals* a) {
    Words sum[2 * kStrip];
    SOTTO_UNROLL(10)
    for (std::size_t i = 0; i < 2 * kStrip; ++i) sum[i] = t[i];
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) {
      SOTTO_UNROLL(5)
      for (std::size_t j = i + 1; j < kStrip; ++j) {
        add_product(sum[i + j], sum[i + j + 1], a[i], a[j]);
      }
    }
    SOTTO_UNROLL(10)
    for (std::size_t i = 0; i < 2 * kStrip; ++i) t[i] = sum[i];
  }
};

}  // namespace sotto::paillier
