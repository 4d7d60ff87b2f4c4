// The lane arithmetic on the units for real numbers (fma.h tells the trick), half a
// vector at a time. As in ifma_avx512.cpp nothing of it may leak out of this file.
#include "paillier/kernels/lanes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#define SOTTO_PRAGMA(text) _Pragma(#text)
#define SOTTO_UNROLL(times) SOTTO_PRAGMA(GCC unroll times)
#include "paillier/kernels/fma.h"

namespace sotto::paillier {
namespace {

constexpr std::size_t kHalf = kLanes / 2;

// Half a vector as lanes.h wants it, for what needs no products.
template <std::size_t half>
struct HalfLanes {
  using V = __m256i;
  using Mask = __m256i;
  static constexpr std::size_t kKept = 10;

  SOTTO_INLINE V zero() { return _mm256_setzero_si256(); }
  SOTTO_INLINE V broadcast(std::uint64_t word) {
    return _mm256_set1_epi64x(static_cast<long long>(word));
  }
  SOTTO_INLINE V load(const Vector8* from) {
    return _mm256_load_si256(reinterpret_cast<const V*>(from) + half);
  }
  SOTTO_INLINE void store(Vector8* to, V v) {
    _mm256_store_si256(reinterpret_cast<V*>(to) + half, v);
  }
  SOTTO_INLINE V add(V a, V b) { return _mm256_add_epi64(a, b); }
  SOTTO_INLINE V both(V a, V b) { return _mm256_and_si256(a, b); }
  SOTTO_INLINE V only_second(V a, V b) { return _mm256_andnot_si256(a, b); }
  SOTTO_INLINE V carry(V a) { return _mm256_srli_epi64(a, kLimbBits); }
  SOTTO_INLINE Mask equal(V a, V b) { return _mm256_cmpeq_epi64(a, b); }
  SOTTO_INLINE V choose(Mask mask, V a, V b) { return _mm256_blendv_epi8(a, b, mask); }
  SOTTO_INLINE V keep(Mask mask, V a, V b) { return _mm256_or_si256(a, both(mask, b)); }
  // Each half of the table is permuted, in words of 32 bits, two for a lane; bit 2 of the index
  // tells which half is meant.
  SOTTO_INLINE V look_up(Mask mask, V a, V index, const Vector8* table) {
    const V* halves = reinterpret_cast<const V*>(table);
    const V doubled = _mm256_slli_epi64(both(index, broadcast(kHalf - 1)), 1);
    const V places = add(_mm256_or_si256(doubled, _mm256_slli_epi64(doubled, 32)),
                         broadcast(std::uint64_t{1} << 32));
    const Mask upper = equal(both(index, broadcast(kHalf)), broadcast(kHalf));
    const V low = _mm256_permutevar8x32_epi32(_mm256_load_si256(halves), places);
    const V high = _mm256_permutevar8x32_epi32(_mm256_load_si256(halves + 1), places);
    return keep(mask, a, choose(upper, low, high));
  }
};

// A whole vector, for scans of long tables: they are bound by the way from the cache, and go it
// once for both halves.
struct WholeLanes {
  using Low = HalfLanes<0>;
  using High = HalfLanes<1>;
  struct V {
    __m256i low;
    __m256i high;
  };
  using Mask = V;
  static constexpr std::size_t kKept = 5;

  SOTTO_INLINE V zero() { return {Low::zero(), High::zero()}; }
  SOTTO_INLINE V broadcast(std::uint64_t word) {
    return {Low::broadcast(word), High::broadcast(word)};
  }
  SOTTO_INLINE V load(const Vector8* from) { return {Low::load(from), High::load(from)}; }
  SOTTO_INLINE void store(Vector8* to, V v) {
    Low::store(to, v.low);
    High::store(to, v.high);
  }
  SOTTO_INLINE Mask equal(V a, V b) {
    return {Low::equal(a.low, b.low), High::equal(a.high, b.high)};
  }
  SOTTO_INLINE V keep(Mask mask, V a, V b) {
    return {Low::keep(mask.low, a.low, b.low), High::keep(mask.high, a.high, b.high)};
  }
};

// Rounding towards zero for a scope, on which the products rest. The work is done by
// functions that are not inlined into it, or the compiler might move some of it outside.
class TowardsZero {
 public:
  TowardsZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_ROUND_TOWARD_ZERO); }
  ~TowardsZero() { _mm_setcsr(before_); }
  TowardsZero(const TowardsZero&) = delete;
  TowardsZero& operator=(const TowardsZero&) = delete;

 private:
  unsigned before_;
};

// Multiplication modulo n² on pairs, as ifma.h explains it.
template <std::size_t half>
struct HalfPairs {
  using Lanes = HalfLanes<half>;
  using Limbs = FmaLimbs<Lanes>;
  using Words = typename Limbs::Words;
  using Reals = typename Limbs::Reals;
  using Constants = typename Limbs::Constants;
  static constexpr std::size_t kStrip = Limbs::kStrip;

  struct Work {
    std::size_t limbs;
    Reals* x;     // 2L: x₀, x₁
    Reals* y;     // 2L
    Reals* n;     // L
    Words* low;   // 2L: x₀y₀, then (x₀y₀ + q·n)/R above L
    Words* high;  // 2L: x₀y₁ + x₁y₀ − q, likewise
    Reals* w;     // kStrip limbs of −n⁻¹
    Reals* q;     // 2·kStrip: the quotients at hand

    Work(const LaneModulus& modulus, Vector8* scratch)
        : limbs(kBlockLimbs * modulus.blocks),
          x(reinterpret_cast<Reals*>(scratch)),
          y(x + 2 * limbs),
          n(y + 2 * limbs),
          low(reinterpret_cast<Words*>(n + limbs)),
          high(low + 2 * limbs),
          w(reinterpret_cast<Reals*>(high + 2 * limbs)),
          q(w + kStrip) {
      static_assert(3 * kStrip <= 2 * kMoreScratch);
      to_reals(n, modulus.n, limbs);
      to_reals(w, modulus.minus_inverse, kStrip);
    }
  };

  [[gnu::noinline]] static void multiply(const LaneModulus& modulus, Vector8* z, const Vector8* x,
                                         const Vector8* y, Vector8* scratch) {
    const Work at(modulus, scratch);
    const std::size_t limbs = at.limbs;
    to_reals(at.x, x, 2 * limbs);
    to_reals(at.y, y, 2 * limbs);
    Constants low(limbs, 2);   // x₀y₀ and q·n
    Constants high(limbs, 3);  // x₀y₁, x₁y₀ and q·n
    for (std::size_t c = 0; c < 2 * limbs; ++c) {
      at.low[c] = low.next();
      at.high[c] = high.next();
    }
    Limbs::add_all(at.low, at.x, at.y, limbs);
    Limbs::add_all(at.high, at.x, at.y + limbs, limbs);
    Limbs::add_all(at.high, at.x + limbs, at.y, limbs);
    reduce(modulus, z, at);
  }

  [[gnu::noinline]] static void square(const LaneModulus& modulus, Vector8* z, const Vector8* x,
                                       Vector8* scratch) {
    const Work at(modulus, scratch);
    const std::size_t limbs = at.limbs;
    to_reals(at.x, x, limbs);
    to_doubled_reals(at.x + limbs, x + limbs, limbs);
    Constants high(limbs, 2);  // x₀·2x₁ and q·n
    for (std::size_t c = 0; c < 2 * limbs; ++c) {
      at.low[c] = Lanes::zero();
      at.high[c] = high.next();
    }
    Limbs::add_all_above_diagonal(at.low, at.x, limbs);
    Constants low(limbs, 2);  // x₀² and q·n
    for (std::size_t i = 0; i < limbs; ++i) {
      Words even = Lanes::add(doubled(at.low[2 * i]), low.next());
      Words odd = Lanes::add(doubled(at.low[2 * i + 1]), low.next());
      Limbs::add_product(even, odd, at.x[i], at.x[i]);
      at.low[2 * i] = even;
      at.low[2 * i + 1] = odd;
    }
    Limbs::add_all(at.high, at.x, at.x + limbs, limbs);
    reduce(modulus, z, at);
  }

  [[gnu::noinline]] static void leave(const LaneModulus& modulus, Vector8* z, const Vector8* x,
                                      Vector8* scratch) {
    const Work at(modulus, scratch);
    const std::size_t limbs = at.limbs;
    Constants constants(limbs, 1);  // q·n
    for (std::size_t c = 0; c < 2 * limbs; ++c) {
      const Words minus = constants.next();
      at.low[c] = c < limbs ? Lanes::add(Lanes::load(x + c), minus) : minus;
      at.high[c] = c < limbs ? Lanes::add(Lanes::load(x + limbs + c), minus) : minus;
    }
    reduce(modulus, z, at);
    LastSubtraction<Lanes>::apply(modulus, z, scratch);
  }

 private:
  static void to_reals(Reals* reals, const Vector8* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) reals[i] = Limbs::real(Lanes::load(from + i));
  }

  // 2x < 4n < R: a shift by one bit, the highest bit of a limb going to the next one.
  static void to_doubled_reals(Reals* reals, const Vector8* from, std::size_t count) {
    Words carried = Lanes::zero();
    for (std::size_t i = 0; i < count; ++i) {
      const Words twice = Lanes::add(doubled(Lanes::load(from + i)), carried);
      reals[i] = Limbs::real(Limbs::limb(twice));
      carried = Lanes::carry(twice);
    }
  }

  SOTTO_INLINE Words doubled(Words a) { return Lanes::add(a, a); }

  // z₀ = (low + q·n)/R and z₁ = (high − q + r·n)/R, five limbs of q and of r at a time, in low
  // and high themselves. A quotient is a long chain of dependent steps, so the processor must
  // have products to make while it waits. Five columns of `high` need no more of q than the
  // same five limbs, so its rows can go one step behind those of `low`, and the quotient of the
  // one is found while a row of the other is made.
  static void reduce(const LaneModulus& modulus, Vector8* z, const Work& at) {
    const std::size_t rows = at.limbs / kStrip;
    Reals* q = at.q;
    Reals* r = at.q + kStrip;
    Limbs::quotient(q, at.low, at.w);
    for (std::size_t row = 0; row < rows; ++row) {
      Words* low = at.low + kStrip * row;
      Words* high = at.high + kStrip * row;
      add_row(at, low, q);
      subtract(high, q, modulus.one_minus_r + kStrip * row);
      if (row + 1 < rows) Limbs::quotient(q, low + kStrip, at.w);
      if (row > 0) add_row(at, high - kStrip, r);
      Limbs::quotient(r, high, at.w);
    }
    add_row(at, at.high + kStrip * (rows - 1), r);
    settle(z, at.low + at.limbs, at.limbs);
    settle(z + at.limbs, at.high + at.limbs, at.limbs);
  }

  SOTTO_INLINE void add_row(const Work& at, Words* t, const Reals* q) {
    Limbs::add_strip(t, q, at.n, at.limbs);
    Limbs::pass_carry(t);
  }

  // t −= q on five columns, as ((1 − R) mod n) + (R − 1 − q).
  SOTTO_INLINE void subtract(Words* t, const Reals* q, const Vector8* one_minus_r) {
    SOTTO_UNROLL(5)
    for (std::size_t i = 0; i < kStrip; ++i) {
      t[i] = Lanes::add(t[i], Lanes::add(Limbs::flipped(q[i]), Lanes::load(one_minus_r + i)));
    }
  }

  // z = t with limbs below 2⁵².
  static void settle(Vector8* z, const Words* t, std::size_t limbs) {
    Words carried = Lanes::zero();
    for (std::size_t i = 0; i < limbs; ++i) {
      const Words sum = Lanes::add(t[i], carried);
      Lanes::store(z + i, Limbs::limb(sum));
      carried = Lanes::carry(sum);
    }
  }
};

// Both halves one after the other, the second only if it is in use.
struct Halves {
  template <auto lower, auto upper, class... Operands>
  static void compute(const LaneModulus& modulus, Operands... operands) {
    const TowardsZero rounding;
    lower(modulus, operands...);
    if (modulus.lanes > kHalf) upper(modulus, operands...);
  }

  static void select(const LaneModulus& modulus, Vector8* out, const Vector8* table,
                     std::size_t entries, const Vector8& digits) {
    const auto scan =
        modulus.lanes > kHalf ? &Lookup<WholeLanes>::select : &Lookup<HalfLanes<0>>::select;
    scan(modulus, out, table, entries, digits);
  }

  static void select_shared(const LaneModulus& modulus, Vector8* out, const Vector8* table,
                            std::size_t octets, const Vector8& octet, const Vector8& place) {
    Lookup<HalfLanes<0>>::select_shared(modulus, out, table, octets, octet, place);
    if (modulus.lanes > kHalf) {
      Lookup<HalfLanes<1>>::select_shared(modulus, out, table, octets, octet, place);
    }
  }
};

#undef SOTTO_INLINE

constexpr LaneArithmetic kFma{"fma",
                              kHalf,
                              &Halves::compute<&HalfPairs<0>::multiply, &HalfPairs<1>::multiply>,
                              &Halves::compute<&HalfPairs<0>::square, &HalfPairs<1>::square>,
                              &Halves::compute<&HalfPairs<0>::leave, &HalfPairs<1>::leave>,
                              &Halves::select,
                              &Halves::select_shared};

}  // namespace
}  // namespace sotto::paillier

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

namespace sotto::paillier {

const LaneArithmetic* avx2_arithmetic() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return &kFma;
#endif
  return nullptr;
}

}  // namespace sotto::paillier
