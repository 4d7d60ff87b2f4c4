#pragma once

#include "paillier/kernels/lanes.h"

// What every kind of lanes does alike, as templates over it: the last subtraction of a reduction,
// and table look-ups that do not tell their place.

// Arrays become registers only where the loops over them are unrolled. A file for a special
// processor says how before it includes this one; emulated lanes gain nothing from it.
#ifndef SOTTO_UNROLL
#define SOTTO_UNROLL(times)
#endif

namespace sotto::paillier {

template <class Lanes>
struct LastSubtraction {
  using V = typename Lanes::V;

  // Each part of a pair from [0, n+2] into [0, n). z₀ = n is n·1: it leaves 0 and gives 1 to
  // z₁. `difference` has L vectors.
  static void apply(const LaneModulus& modulus, Vector8* z, Vector8* difference) {
    const V one_more = subtract_if_not_below(modulus, z, Lanes::zero(), difference);
    subtract_if_not_below(modulus, z + kBlockLimbs * modulus.blocks, one_more, difference);
  }

 private:
  // z += more; if z ≥ n: z −= n. Returns 1 in the lanes that subtracted. z − n is computed
  // as z + (R − 1 − n) + 1: it reaches R exactly if z ≥ n.
  [[gnu::noinline]] static V subtract_if_not_below(const LaneModulus& modulus, Vector8* z,
                                                   const V& more, Vector8* difference) {
    const std::size_t limbs = kBlockLimbs * modulus.blocks;
    const V mask = Lanes::broadcast(kLimbMask);
    const V one = Lanes::broadcast(1);
    V carried = more;
    V borrowed = one;
    for (std::size_t i = 0; i < limbs; ++i) {
      const V limb = Lanes::add(Lanes::load(z + i), carried);
      const V kept = Lanes::both(limb, mask);
      carried = Lanes::carry(limb);
      Lanes::store(z + i, kept);
      const V flipped = Lanes::only_second(Lanes::load(modulus.n + i), mask);
      const V sum = Lanes::add(Lanes::add(kept, flipped), borrowed);
      Lanes::store(difference + i, Lanes::both(sum, mask));
      borrowed = Lanes::carry(sum);
    }
    const auto subtracted = Lanes::equal(borrowed, one);
    for (std::size_t i = 0; i < limbs; ++i) {
      Lanes::store(z + i,
                   Lanes::choose(subtracted, Lanes::load(z + i), Lanes::load(difference + i)));
    }
    return borrowed;
  }
};

// Table entries at secret places. Which memory is read must not depend on the place, or
// the cache would tell it: both scans read the whole table in order and keep what is
// wanted by masks. They pass over it once for each kKept vectors of the result, which stay
// in registers.
template <class Lanes>
struct Lookup {
  using V = typename Lanes::V;
  static constexpr std::size_t kKept = Lanes::kKept;

  // Each lane has its own table: one masked move per vector of the table.
  static void select(const LaneModulus& modulus, Vector8* out, const Vector8* table,
                     std::size_t entries, const Vector8& digits) {
    const std::size_t length = 2 * kBlockLimbs * modulus.blocks;
    const V wanted = Lanes::load(&digits);
    for (std::size_t start = 0; start < length; start += kKept) {
      V kept[kKept];
      clear(kept);
      for (std::size_t entry = 0; entry < entries; ++entry) {
        const auto here = Lanes::equal(wanted, Lanes::broadcast(entry));
        const Vector8* from = table + entry * length + start;
        SOTTO_UNROLL(20)
        for (std::size_t i = 0; i < kKept; ++i) {
          kept[i] = Lanes::keep(here, kept[i], Lanes::load(from + i));
        }
      }
      store(out + start, kept);
    }
  }

  // All lanes share the table, so one vector can hold a limb of eight entries, and one
  // permutation picks for each lane the entry that it wants: an eighth of the
  // instructions and of the memory of the scan above.
  static void select_shared(const LaneModulus& modulus, Vector8* out, const Vector8* table,
                            std::size_t octets, const Vector8& octet, const Vector8& place) {
    const std::size_t length = 2 * kBlockLimbs * modulus.blocks;
    const V wanted = Lanes::load(&octet);
    const V index = Lanes::load(&place);
    for (std::size_t start = 0; start < length; start += kKept) {
      V kept[kKept];
      clear(kept);
      for (std::size_t o = 0; o < octets; ++o) {
        const auto here = Lanes::equal(wanted, Lanes::broadcast(o));
        const Vector8* from = table + o * length + start;
        SOTTO_UNROLL(20)
        for (std::size_t i = 0; i < kKept; ++i) {
          kept[i] = Lanes::look_up(here, kept[i], index, from + i);
        }
      }
      store(out + start, kept);
    }
  }

 private:
  [[gnu::always_inline]] static inline void clear(V (&kept)[kKept]) {
    SOTTO_UNROLL(20)
    for (std::size_t i = 0; i < kKept; ++i) kept[i] = Lanes::zero();
  }
  [[gnu::always_inline]] static inline void store(Vector8* out, const V (&kept)[kKept]) {
    SOTTO_UNROLL(20)
    for (std::size_t i = 0; i < kKept; ++i) Lanes::store(out + i, kept[i]);
  }
};

}  // namespace sotto::paillier
