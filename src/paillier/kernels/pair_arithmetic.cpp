// Pairs modulo n² on GMP's side-channel silent functions, one number at a time.
#include "paillier/kernels/pair_arithmetic.h"

#include <algorithm>

#include "base/check.h"

namespace sotto::paillier {
namespace {

mp_size_t gmp_size(std::size_t size) {
  return static_cast<mp_size_t>(size);
}

// −n⁻¹ mod 2^64 by Newton's iteration: each step doubles the bits that are right.
mp_limb_t minus_inverse_of(mp_limb_t n) {
  mp_limb_t inverse = n;  // three bits
  for (int k = 0; k < 5; ++k) inverse *= 2 - n * inverse;
  return 0 - inverse;
}

// x ← x − m if x ≥ m.
void subtract_once(mp_limb_t* x, const Limbs& m, mp_limb_t* spare) {
  const mp_size_t size = gmp_size(m.size());
  const mp_limb_t smaller = mpn_sub_n(spare, x, m.data(), size);
  mpn_cnd_sub_n(1 - smaller, x, x, m.data(), size);
}

}  // namespace

PairArithmetic::Scratch::Scratch(const PairArithmetic& pairs)
    : product_(2 * pairs.length_ + 1),
      sum_(2 * pairs.length_ + 1),
      addend_(2 * pairs.length_),
      quotient_(pairs.length_),
      low_(pairs.length_),
      spare_(pairs.length_ + 1) {
  const mp_size_t length = gmp_size(pairs.length_);
  sec_.resize(static_cast<std::size_t>(
      std::max(mpn_sec_mul_itch(length, length), mpn_sec_sqr_itch(length))));
}

PairArithmetic::PairArithmetic(const Integer& n)
    : length_(mpz_size(n.get_mpz_t())),
      minus_inverse_(minus_inverse_of(mpz_getlimbn(n.get_mpz_t(), 0))),
      n_(limbs_of(n, length_)),
      n_wide_(limbs_of(n, length_ + 1)),
      twice_n_(limbs_of(Integer(2 * n), length_ + 1)),
      one_(2 * length_),
      r_squared_(2 * length_) {
  check(n > 1 && mpz_odd_p(n.get_mpz_t()) != 0, "n is odd and above 1");
  const Integer r = Integer(1) << (GMP_NUMB_BITS * length_);
  Integer multiple = (r / n + 1) * n;
  multiple_ = limbs_of(multiple, length_ + 1);
  wipe(multiple);
  Integer residue = r % (n * n);
  split(one_.data(), residue);
  residue = residue * residue % (n * n);
  split(r_squared_.data(), residue);
  wipe(residue);
}

// z + R·carry = (t + Q·n)/R, where Q < R makes the low half of t + Q·n vanish. t has 2L limbs and
// is lost. Returns the carry.
mp_limb_t PairArithmetic::reduce(mp_limb_t* z, mp_limb_t* t, mp_limb_t* quotient) const {
  const mp_size_t length = gmp_size(length_);
  for (std::size_t k = 0; k < length_; ++k) {
    quotient[k] = t[k] * minus_inverse_;
    // The limb has become 0, and makes room for the carry that belongs L limbs above it.
    t[k] = mpn_addmul_1(t + k, n_.data(), length, quotient[k]);
  }
  return mpn_add_n(z, t + length_, t, length);
}

void PairArithmetic::finish(mp_limb_t* z, mp_limb_t carry, Scratch& scratch) const {
  const mp_size_t length = gmp_size(length_);
  // z₀ < 2n: what is one n too many moves to the other half as a 1.
  mp_limb_t* low = scratch.low_.data();
  const mp_limb_t above = reduce(low, scratch.product_.data(), scratch.quotient_.data());
  const mp_limb_t smaller = mpn_sub_n(scratch.spare_.data(), low, n_.data(), length);
  const mp_limb_t excess = above | (1 - smaller);
  mpn_cnd_sub_n(excess, low, low, n_.data(), length);

  // (x₀y₁ + x₁y₀ + K − Q)/R + excess, K a multiple of n from R on, so that nothing is negative.
  // What K − Q has above its low half, 0 or R, is added after the division.
  mp_limb_t* sum = scratch.sum_.data();
  mp_limb_t* addend = scratch.addend_.data();  // its high half stays 0
  const mp_limb_t borrow = mpn_sub_n(addend, multiple_.data(), scratch.quotient_.data(), length);
  carry += mpn_add_n(sum, sum, addend, 2 * length);
  mp_limb_t* high = scratch.spare_.data();
  high[length_] = carry + reduce(high, sum, scratch.quotient_.data());
  std::fill_n(addend, length_, 0);
  addend[0] = multiple_[length_] - borrow + excess;
  mpn_add_n(high, high, addend, length + 1);

  // high < 3n + 3
  subtract_once(high, twice_n_, scratch.sum_.data());
  subtract_once(high, n_wide_, scratch.sum_.data());
  std::copy_n(low, length_, z);
  std::copy_n(high, length_, z + length_);
}

void PairArithmetic::multiply(mp_limb_t* z, const mp_limb_t* x, const mp_limb_t* y,
                              Scratch& scratch) const {
  const mp_size_t length = gmp_size(length_);
  mp_limb_t* sum = scratch.sum_.data();
  mp_limb_t* product = scratch.product_.data();
  mp_limb_t* sec = scratch.sec_.data();
  mpn_sec_mul(sum, x, length, y + length_, length, sec);
  mpn_sec_mul(product, x + length_, length, y, length, sec);
  const mp_limb_t carry = mpn_add_n(sum, sum, product, 2 * length);
  mpn_sec_mul(product, x, length, y, length, sec);
  finish(z, carry, scratch);
}

void PairArithmetic::square(mp_limb_t* z, const mp_limb_t* x, Scratch& scratch) const {
  const mp_size_t length = gmp_size(length_);
  mp_limb_t* sum = scratch.sum_.data();
  mpn_sec_mul(sum, x, length, x + length_, length, scratch.sec_.data());
  const mp_limb_t carry = mpn_lshift(sum, sum, 2 * length, 1);
  mpn_sec_sqr(scratch.product_.data(), x, length, scratch.sec_.data());
  finish(z, carry, scratch);
}

void PairArithmetic::split(mp_limb_t* pair, const Integer& x) const {
  Limbs rest = limbs_of(x, 2 * length_);
  const mp_size_t length = gmp_size(length_);
  Limbs quotient(length_);
  Limbs sec(static_cast<std::size_t>(mpn_sec_div_qr_itch(2 * length, length)));
  const mp_limb_t highest =
      mpn_sec_div_qr(quotient.data(), rest.data(), 2 * length, n_.data(), length, sec.data());
  Limbs unused(length_);
  const mp_limb_t below = mpn_sub_n(unused.data(), quotient.data(), n_.data(), length);
  check(highest == 0 && below == 1, "a residue is below n²");
  std::copy_n(rest.data(), length_, pair);
  std::copy_n(quotient.data(), length_, pair + length_);
}

void PairArithmetic::enter(mp_limb_t* z, const Integer& x, Scratch& scratch) const {
  check(sgn(x) >= 0, "a residue is not negative");
  split(z, x);
  multiply(z, z, r_squared_.data(), scratch);
}

void PairArithmetic::leave(mp_limb_t* z, const mp_limb_t* x, Scratch& scratch) const {
  Limbs plain_one(2 * length_);
  plain_one[0] = 1;
  multiply(z, x, plain_one.data(), scratch);
}

Integer PairArithmetic::joined(std::span<const mp_limb_t> pair) const {
  const mp_size_t length = gmp_size(length_);
  Limbs sum(2 * length_);
  Limbs sec(static_cast<std::size_t>(mpn_sec_mul_itch(length, length)));
  mpn_sec_mul(sum.data(), pair.data() + length_, length, n_.data(), length, sec.data());
  Limbs low(2 * length_);
  std::copy_n(pair.data(), length_, low.data());
  mpn_add_n(sum.data(), sum.data(), low.data(), 2 * length);
  return integer_of(sum);
}

}  // namespace sotto::paillier
