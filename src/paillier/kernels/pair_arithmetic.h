#pragma once

#include <cstddef>
#include <span>

#include "base/integer.h"
#include "paillier/kernels/limbs.h"

namespace sotto::paillier {

// Arithmetic modulo n² for odd n, on pairs x = x₀ + x₁·n with x₀, x₁ in [0, n), each on L limbs, in
// Montgomery's form x·R mod n², R = 2^(64L). A product needs no number longer than 2L limbs:
//
//     x·y = x₀y₀ + (x₀y₁ + x₁y₀)·n   mod n²,
//
// and one step of Montgomery, x₀y₀ + Q·n = R·z₀, turns it into
//
//     x·y/R = z₀ + ((x₀y₁ + x₁y₀ − Q)/R mod n)·n,
//
// because what is subtracted from x₀y₀, Q·n, is a multiple of n and moves to the other half. That
// makes 5L² multiplications of limbs, where the same modulo n² as one number takes 8L²; a squaring
// 3.5L² instead of 6L². And L(x) = (x − 1)/n of Paillier's decryption can be read off.
//
// The time depends on L alone: GMP's side-channel silent functions, and no branch on a value.
class PairArithmetic {
 public:
  explicit PairArithmetic(const Integer& n);

  // Memory that a computation needs; wiped when it goes. One per thread.
  class Scratch {
   public:
    explicit Scratch(const PairArithmetic& pairs);

   private:
    friend class PairArithmetic;
    Limbs product_;   // 2L + 1
    Limbs sum_;       // 2L + 1
    Limbs addend_;    // 2L
    Limbs quotient_;  // L
    Limbs low_;       // L
    Limbs spare_;     // L + 1
    Limbs sec_;       // of GMP
  };

  [[nodiscard]] std::size_t words() const { return 2 * length_; }  // of a pair

  // A pair is x₀, then x₁. Results may stand where the operands do.
  void multiply(mp_limb_t* z, const mp_limb_t* x, const mp_limb_t* y, Scratch& scratch) const;
  void square(mp_limb_t* z, const mp_limb_t* x, Scratch& scratch) const;
  [[nodiscard]] const Limbs& one() const { return one_; }

  // Into Montgomery's form, and out of it.
  void enter(mp_limb_t* z, const Integer& x, Scratch& scratch) const;
  void leave(mp_limb_t* z, const mp_limb_t* x, Scratch& scratch) const;

  // x₀ + x₁·n.
  [[nodiscard]] Integer joined(std::span<const mp_limb_t> pair) const;

 private:
  void split(mp_limb_t* pair, const Integer& x) const;
  mp_limb_t reduce(mp_limb_t* z, mp_limb_t* t, mp_limb_t* quotient) const;
  // From x₀y₀ and x₀y₁ + x₁y₀, the latter with `carry` above its 2L limbs.
  void finish(mp_limb_t* z, mp_limb_t carry, Scratch& scratch) const;

  std::size_t length_;       // L
  mp_limb_t minus_inverse_;  // −n⁻¹ mod 2^64
  Limbs n_;
  Limbs multiple_;   // of n, from R on: L + 1 limbs
  Limbs n_wide_;     // L + 1 limbs
  Limbs twice_n_;    // L + 1 limbs
  Limbs one_;        // R mod n²
  Limbs r_squared_;  // R² mod n²
};

}  // namespace sotto::paillier
