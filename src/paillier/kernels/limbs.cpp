// Secret numbers: wiped when they go, and computed with in a time that depends on widths alone.
#include "paillier/kernels/limbs.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/check.h"

namespace sotto::paillier {
namespace {

// With malloc and free underneath, as GMP has by default: numbers made before may be freed after.
void* allocate(std::size_t bytes) {
  void* memory = std::malloc(bytes);
  check(memory != nullptr, "there is memory for a number");
  return memory;
}

void release(void* memory, std::size_t bytes) {
  wipe_memory(memory, bytes);
  std::free(memory);
}

void* reallocate(void* memory, std::size_t before, std::size_t after) {
  void* moved = allocate(after);
  std::memcpy(moved, memory, std::min(before, after));
  release(memory, before);
  return moved;
}

}  // namespace

void wipe_what_gmp_frees() {
  static std::once_flag once;
  std::call_once(once, [] { mp_set_memory_functions(allocate, reallocate, release); });
}

void wipe_memory(void* memory, std::size_t bytes) {
  OPENSSL_cleanse(memory, bytes);
}

void wipe(Integer& secret) {
  mpz_ptr raw = secret.get_mpz_t();
  if (raw->_mp_alloc > 0) {
    wipe_memory(raw->_mp_d, static_cast<std::size_t>(raw->_mp_alloc) * sizeof(mp_limb_t));
  }
  raw->_mp_size = 0;
}

void wipe(std::span<Integer> secrets) {
  for (Integer& secret : secrets) wipe(secret);
}

std::size_t limbs_for_bits(std::size_t bits) {
  return (bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS;
}

std::size_t bit_length(const Integer& x) {
  const std::size_t size = mpz_size(x.get_mpz_t());
  if (size == 0) return 0;
  const mp_limb_t top = mpz_limbs_read(x.get_mpz_t())[size - 1];
  return size * GMP_NUMB_BITS - static_cast<std::size_t>(std::countl_zero(top));
}

Limbs limbs_of(const Integer& x, std::size_t width) {
  const std::size_t size = mpz_size(x.get_mpz_t());
  check(size <= width, "a number fits the width it is given");
  Limbs limbs(width);
  std::copy_n(mpz_limbs_read(x.get_mpz_t()), size, limbs.begin());
  return limbs;
}

Limbs limbs_of(const Integer& x) {
  return limbs_of(x, mpz_size(x.get_mpz_t()));
}

Integer integer_of(std::span<const mp_limb_t> limbs) {
  Integer result;
  const auto size = static_cast<mp_size_t>(limbs.size());
  std::ranges::copy(limbs, mpz_limbs_write(result.get_mpz_t(), size));
  mpz_limbs_finish(result.get_mpz_t(), size);
  return result;
}

Limbs remainder(const Limbs& x, const Limbs& m) {
  Limbs rest = x;
  if (rest.size() < m.size()) rest.resize(m.size());
  const auto width = static_cast<mp_size_t>(rest.size());
  const auto divisor = static_cast<mp_size_t>(m.size());
  Limbs scratch(static_cast<std::size_t>(mpn_sec_div_r_itch(width, divisor)));
  mpn_sec_div_r(rest.data(), width, m.data(), divisor, scratch.data());
  rest.resize(m.size());
  return rest;
}

Limbs product(const Limbs& x, const Limbs& y) {
  if (x.size() < y.size()) return product(y, x);
  const auto longer = static_cast<mp_size_t>(x.size());
  const auto shorter = static_cast<mp_size_t>(y.size());
  Limbs result(x.size() + y.size());
  Limbs scratch(static_cast<std::size_t>(mpn_sec_mul_itch(longer, shorter)));
  mpn_sec_mul(result.data(), x.data(), longer, y.data(), shorter, scratch.data());
  return result;
}

Limbs sum(const Limbs& a, const Limbs& b, const Limbs& c) {
  Limbs result = product(b, c);
  Limbs wide = a;
  wide.resize(result.size());
  mpn_add_n(result.data(), result.data(), wide.data(), static_cast<mp_size_t>(result.size()));
  return result;
}

Limbs difference(const Limbs& x, const Limbs& y, const Limbs& m) {
  check(x.size() == m.size() && y.size() == m.size(), "residues are as wide as their modulus");
  const auto width = static_cast<mp_size_t>(m.size());
  Limbs result(m.size());
  const mp_limb_t borrow = mpn_sub_n(result.data(), x.data(), y.data(), width);
  mpn_cnd_add_n(borrow, result.data(), result.data(), m.data(), width);
  return result;
}

Limbs residue_of(const Integer& x, const Limbs& m) {
  const auto width = static_cast<mp_size_t>(m.size());
  const Limbs magnitude = limbs_of(x, m.size());
  // m·[x < 0] ± |x|, both computed, one kept.
  Limbs choices = magnitude;
  choices.resize(2 * m.size());
  mpn_sub_n(choices.data() + width, m.data(), magnitude.data(), width);
  Limbs result(m.size());
  // The sign as a bit: comparing it would branch.
  const mp_limb_t negative = static_cast<unsigned>(x.get_mpz_t()->_mp_size) >> 31;
  mpn_sec_tabselect(result.data(), choices.data(), width, 2, static_cast<mp_size_t>(negative));
  return result;
}

Integer centred(const Limbs& residue, const Limbs& m) {
  const auto width = static_cast<mp_size_t>(m.size());
  Limbs choices = residue;
  choices.resize(2 * m.size());
  mpn_sub_n(choices.data() + width, m.data(), residue.data(), width);  // m − r
  Limbs unused(m.size());
  // r > m − r, that is r > m/2: the residue stands for r − m.
  const mp_limb_t negative =
      mpn_sub_n(unused.data(), choices.data() + width, residue.data(), width);
  Limbs magnitude(m.size());
  mpn_sec_tabselect(magnitude.data(), choices.data(), width, 2, static_cast<mp_size_t>(negative));
  Integer result = integer_of(magnitude);
  result.get_mpz_t()->_mp_size *= 1 - 2 * static_cast<int>(negative);
  return result;
}

}  // namespace sotto::paillier
