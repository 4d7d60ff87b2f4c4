#pragma once

#include "paillier/lane_arithmetic.h"
#include "paillier/unroll.h"

namespace sotto {

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

}  // namespace sotto
