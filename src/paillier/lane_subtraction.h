#pragma once

#include "paillier/lane_arithmetic.h"

namespace sotto {

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

}  // namespace sotto
