#pragma once

#include <algorithm>
#include <cstdint>

#include "base/integer.h"

// The coins that the exact samplers toss [CKS20], over any source with bits64(). Every random
// decision is a coin whose probability is a fraction x/k. It is decided by comparing x with a
// uniform real number whose digits are drawn one 63-bit digit at a time, and x is first known only
// by an enclosure of that width. The first digit leaves the outcome open with probability below
// 2⁻⁵⁹; then, and only then, x is worked out as an exact fraction and more digits are drawn. So the
// speed is that of machine words and the law is exact.
namespace sotto::noise {

using Word = std::uint64_t;
__extension__ using Wide = unsigned __int128;

inline constexpr unsigned kDigitBits = 63;
inline constexpr Word kOne = Word{1} << kDigitBits;

// What is known of a number x ∈ [0, 1] at first: low ≤ 2⁶³·x ≤ high.
struct Enclosure {
  Word low;
  Word high;
};

// Encloses a/b, 0 ≤ a ≤ b, given n = ⌊a/2^s⌋ and d = ⌊b/2^s⌋.
// s = 0: a/b itself, to one unit. s > 0: then 2⁶² ≤ d < 2⁶³ and
// n/(d+1) < a/b < (n+1)/d, whose distance (n+d+1)/(d(d+1)) < 2/d is 4 units at most.
[[nodiscard]] inline Enclosure enclose_ratio(Word n, Word d, bool truncated) {
  const Word low = static_cast<Word>((Wide{n} << kDigitBits) / (truncated ? d + 1 : d));
  return {low, std::min(low + (truncated ? 5 : 1), kOne)};
}

[[nodiscard]] inline Enclosure one_minus(Enclosure x) {
  return {kOne - x.high, kOne - x.low};
}

// x²/2
[[nodiscard]] inline Enclosure half_square(Enclosure x) {
  return {static_cast<Word>((Wide{x.low} * x.low) >> 64),
          static_cast<Word>((Wide{x.high} * x.high) >> 64) + 1};
}

template <class Bits>
class ExactCoins {
 public:
  explicit ExactCoins(Bits& bits) : bits_(bits) {}

  // True with probability x/k. `exactly()` is x as a fraction.
  template <class Exactly>
  bool coin(Enclosure x, Word k, Exactly exactly) {
    const Word first = digit();
    // first ≤ 2⁶³r < first + 1, so these two decide k·r < x beyond doubt.
    if (Wide{k} * (first + 1) <= x.low) return true;
    if (Wide{k} * first >= x.high) return false;
    return below_exactly(first, exactly() / Integer(k));
  }

  // True with probability e^{−x}, x ∈ [0, 1] [CKS20, Algorithm 1]:
  // the coins x/1, x/2, x/3, … first fail at an odd place.
  template <class Exactly>
  bool exp_coin(Enclosure x, Exactly exactly, Word first_place = 1) {
    Word k = first_place;
    while (coin(x, k, exactly)) ++k;
    return k % 2 == 1;
  }

  // e^{−U/bound} for a uniform U that can be enclosed.
  template <class Uniform>
  bool exp_of(Uniform& u) {
    return exp_coin(u.enclosure(), [&u] { return u.exactly(); });
  }

  // e^{−1}: the coin 1/1 never fails, so it need not be tossed.
  bool exp_one() {
    return exp_coin(
        {kOne, kOne}, [] { return Rational(1); }, 2);
  }

  bool exp_half() {
    return exp_coin({kOne / 2, kOne / 2}, [] { return Rational(1, 2); });
  }

  // Draws u and returns V such that X = U + tV has P(X) ∝ e^{−X/t}, t the bound of u
  // [CKS20, Algorithm 2].
  template <class Uniform>
  Word geometric_laplace(Uniform& u) {
    do u.draw();
    while (!exp_of(u));
    Word v = 0;
    while (exp_one()) ++v;
    return v;
  }

  // One fair bit: true for a negative sign.
  bool negative() { return bits_.bits64() >> 63 == 1; }

 private:
  // The first digits d₁d₂… of a uniform r ∈ [0, 1) in base 2⁶³.
  Word digit() { return bits_.bits64() >> (64 - kDigitBits); }

  // Whether r < p, r starting with the digit `first`: digit against digit of p.
  bool below_exactly(Word first, Rational p) {
    for (Word have = first; sgn(p) > 0; have = digit()) {
      p *= power_of_two(kDigitBits);
      const Integer want = floor(p);
      if (want != Integer(have)) return Integer(have) < want;
      p -= want;
    }
    return false;
  }

  Bits& bits_;
};

}  // namespace sotto::noise
