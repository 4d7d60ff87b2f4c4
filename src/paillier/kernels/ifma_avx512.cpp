// The lane arithmetic on the processor's own instructions. The rest of the program must
// run where they do not exist, so they must not leak out of this file: they are switched
// on by a pragma after the last header that has code for everyone, and everything that is
// compiled under it hangs on a type of an unnamed namespace, which no linker merges with
// a function of another file.
#include "paillier/kernels/lanes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512ifma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512ifma")
#endif

#define SOTTO_PRAGMA(text) _Pragma(#text)
#define SOTTO_UNROLL(times) SOTTO_PRAGMA(GCC unroll times)
#include "paillier/kernels/ifma.h"

namespace sotto::paillier {
namespace {

#define SOTTO_LANE [[gnu::always_inline]] static inline

struct IfmaLanes {
  using V = __m512i;
  using Mask = __mmask8;
  static constexpr Mask kAll = 0xFF;
  static constexpr std::string_view kName = "ifma";
  static constexpr std::size_t kWidth = kLanes;
  static constexpr std::size_t kKept = 20;

  SOTTO_LANE V zero() { return _mm512_setzero_si512(); }
  SOTTO_LANE V broadcast(std::uint64_t word) {
    return _mm512_set1_epi64(static_cast<long long>(word));
  }
  SOTTO_LANE V load(const Vector8* from) { return _mm512_load_si512(from); }
  SOTTO_LANE void store(Vector8* to, V v) { _mm512_store_si512(to, v); }
  SOTTO_LANE V add(V a, V b) { return _mm512_add_epi64(a, b); }
  SOTTO_LANE V both(V a, V b) { return _mm512_and_si512(a, b); }
  // The unmasked forms of these two make g++ 12 warn of a variable in its own header that
  // is uninitialised on purpose; with all lanes in the mask the instruction is the same.
  SOTTO_LANE V only_second(V a, V b) { return _mm512_maskz_andnot_epi64(kAll, a, b); }
  SOTTO_LANE V carry(V a) { return _mm512_maskz_srli_epi64(kAll, a, kLimbBits); }
  SOTTO_LANE V add_low(V c, V a, V b) { return _mm512_madd52lo_epu64(c, a, b); }
  SOTTO_LANE V add_high(V c, V a, V b) { return _mm512_madd52hi_epu64(c, a, b); }
  SOTTO_LANE Mask equal(V a, V b) { return _mm512_cmpeq_epi64_mask(a, b); }
  SOTTO_LANE V choose(Mask mask, V a, V b) { return _mm512_mask_mov_epi64(a, mask, b); }
  SOTTO_LANE V keep(Mask mask, V a, V b) { return choose(mask, a, b); }
  SOTTO_LANE V look_up(Mask mask, V a, V index, const Vector8* table) {
    return _mm512_mask_permutexvar_epi64(a, mask, index, load(table));
  }
};

#undef SOTTO_LANE

}  // namespace
}  // namespace sotto::paillier

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

namespace sotto::paillier {

const LaneArithmetic* avx512_arithmetic() {
#if defined(__x86_64__)
  // Both also ask whether the operating system keeps the registers (XCR0).
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512ifma") != 0) {
    return &kArithmeticOf<IfmaLanes>;
  }
#endif
  return nullptr;
}

}  // namespace sotto::paillier
