// One body, compiled for three kinds of processors; all operations are exact or rounded once, in
// the same order, so the bits are the same on all of them.
#include "privacy/noise/lane_draws.h"

#include <bit>
#include <cmath>

#include "base/check.h"
#if defined(__x86_64__)
#include <immintrin.h>  // declares what the functions for its processors are made of
#endif

#define SOTTO_LANE_INLINE inline __attribute__((always_inline))

namespace sotto::noise {
namespace lanes {

using Pair = double __attribute__((vector_size(16)));
using Four = double __attribute__((vector_size(32)));

template <class To, class From>
SOTTO_LANE_INLINE void same_bits(const From& from, To& to) {
  static_assert(sizeof(To) == sizeof(From));
  __builtin_memcpy(&to, &from, sizeof(to));
}

// What vector registers of some width hold: a lane in each word. negative() has a bit for each lane
// whose sign is set. look_up() finds two numbers of each lane's layer, which stand beside each
// other in memory, by one load for both; even and odd lanes are put together apart, and divided by
// two shuffles.
struct Two {
  static constexpr std::size_t kWidth = 2;
  using Words = std::uint64_t __attribute__((vector_size(16)));
  using Signed = std::int64_t __attribute__((vector_size(16)));
  using Doubles = Pair;

  static SOTTO_LANE_INLINE unsigned negative(const Doubles& x) {
    Words bits;
    same_bits(x, bits);
    return static_cast<unsigned>(bits[0] >> 63 | bits[1] >> 63 << 1);
  }
  static SOTTO_LANE_INLINE void look_up(const std::array<double, 2>* pairs, const Words& layers,
                                        Doubles& first, Doubles& second) {
    Pair p[2];
    __builtin_memcpy(&p[0], pairs + layers[0], sizeof(Pair));
    __builtin_memcpy(&p[1], pairs + layers[1], sizeof(Pair));
    first = __builtin_shufflevector(p[0], p[1], 0, 2);
    second = __builtin_shufflevector(p[0], p[1], 1, 3);
  }
};

#if defined(__x86_64__) && !defined(__clang__)
// Two registers' halves, in one instruction; __builtin_shufflevector takes three.
#define SOTTO_TWO_PAIRS(low, high) \
  __builtin_ia32_vinsertf128_pd256(__builtin_ia32_pd256_pd(low), high, 1)
#define SOTTO_TWO_FOURS(low, high)                                          \
  __builtin_ia32_insertf64x4_mask(__builtin_ia32_pd512_256pd(low), high, 1, \
                                  __builtin_ia32_pd512_256pd(low), 0xff)
// Nothing is called by these: they are inlined into functions that are compiled for the registers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

struct Avx2 {
  static constexpr std::size_t kWidth = 4;
  using Words = std::uint64_t __attribute__((vector_size(32)));
  using Signed = std::int64_t __attribute__((vector_size(32)));
  using Doubles = Four;

  static SOTTO_LANE_INLINE unsigned negative(const Doubles& x) {
    return static_cast<unsigned>(__builtin_ia32_movmskpd256(x));
  }
  static SOTTO_LANE_INLINE void look_up(const std::array<double, 2>* pairs, const Words& layers,
                                        Doubles& first, Doubles& second) {
    Pair p[4];
    __builtin_memcpy(&p[0], pairs + layers[0], sizeof(Pair));
    __builtin_memcpy(&p[1], pairs + layers[1], sizeof(Pair));
    __builtin_memcpy(&p[2], pairs + layers[2], sizeof(Pair));
    __builtin_memcpy(&p[3], pairs + layers[3], sizeof(Pair));
    const Four even = SOTTO_TWO_PAIRS(p[0], p[2]);
    const Four odd = SOTTO_TWO_PAIRS(p[1], p[3]);
    first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  }
};

struct Avx512 {
  static constexpr std::size_t kWidth = 8;
  using Words = std::uint64_t __attribute__((vector_size(64)));
  using Signed = std::int64_t __attribute__((vector_size(64)));
  using Doubles = double __attribute__((vector_size(64)));

  static SOTTO_LANE_INLINE unsigned negative(const Doubles& x) {
    long long bits __attribute__((vector_size(64)));
    same_bits(x, bits);
    return __builtin_ia32_cvtq2mask512(bits);
  }
  static SOTTO_LANE_INLINE void look_up(const std::array<double, 2>* pairs, const Words& layers,
                                        Doubles& first, Doubles& second) {
    static_assert(sizeof(*pairs) == 1 << 4);
    Words at = layers << 4;
    __asm__("" : "+m"(at));  // by way of memory: eight loads are faster than eight moves
    const char* base = reinterpret_cast<const char*>(pairs);
    Pair p[8];
    __builtin_memcpy(&p[0], base + at[0], sizeof(Pair));
    __builtin_memcpy(&p[1], base + at[1], sizeof(Pair));
    __builtin_memcpy(&p[2], base + at[2], sizeof(Pair));
    __builtin_memcpy(&p[3], base + at[3], sizeof(Pair));
    __builtin_memcpy(&p[4], base + at[4], sizeof(Pair));
    __builtin_memcpy(&p[5], base + at[5], sizeof(Pair));
    __builtin_memcpy(&p[6], base + at[6], sizeof(Pair));
    __builtin_memcpy(&p[7], base + at[7], sizeof(Pair));
    const Four even_low = SOTTO_TWO_PAIRS(p[0], p[2]);
    const Four even_high = SOTTO_TWO_PAIRS(p[4], p[6]);
    const Four odd_low = SOTTO_TWO_PAIRS(p[1], p[3]);
    const Four odd_high = SOTTO_TWO_PAIRS(p[5], p[7]);
    const Doubles even = SOTTO_TWO_FOURS(even_low, even_high);
    const Doubles odd = SOTTO_TWO_FOURS(odd_low, odd_high);
    first = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    second = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
  }
};
#pragma GCC diagnostic pop
#endif

template <class Words>
SOTTO_LANE_INLINE void rotate(const Words& x, int by, Words& out) {
  out = (x << by) | (x >> (64 - by));
}

// Lanes of the mask, all ones or none, become those of `from`.
template <class Vector, class Words>
SOTTO_LANE_INLINE void take(const Vector& from, const Words& mask, Vector& to) {
  Words ours;
  Words theirs;
  same_bits(to, ours);
  same_bits(from, theirs);
  ours ^= (ours ^ theirs) & mask;
  same_bits(ours, to);
}

// splitmix64, as base/xoshiro.h has it.
template <class Words>
SOTTO_LANE_INLINE void splitmix(Words& x, Words& out) {
  x += 0x9e3779b97f4a7c15;
  Words z = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  out = z ^ (z >> 31);
}

// xoshiro256++ of every lane.
template <class Words>
struct Streams {
  Words s0;
  Words s1;
  Words s2;
  Words s3;

  SOTTO_LANE_INLINE void begin(const Words& seeds, const Words& names) {
    Words x = names + 0x632be59bd9b4e019;
    Words mixed;
    splitmix(x, mixed);
    x = seeds ^ mixed;
    splitmix(x, s0);
    splitmix(x, s1);
    splitmix(x, s2);
    splitmix(x, s3);
  }
  SOTTO_LANE_INLINE void next(Words& bits) {
    rotate<Words>(s0 + s3, 23, bits);
    bits += s0;
    const Words t = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    rotate<Words>(s3, 45, s3);
  }
  // Lanes of the mask, all ones or none, stand where `other` does.
  SOTTO_LANE_INLINE void take(const Streams& other, const Words& mask) {
    lanes::take(other.s0, mask, s0);
    lanes::take(other.s1, mask, s1);
    lanes::take(other.s2, mask, s2);
    lanes::take(other.s3, mask, s3);
  }
  SOTTO_LANE_INLINE void load(const LaneStates& states, std::size_t first) {
    __builtin_memcpy(&s0, &states.word[0][first], sizeof(s0));
    __builtin_memcpy(&s1, &states.word[1][first], sizeof(s1));
    __builtin_memcpy(&s2, &states.word[2][first], sizeof(s2));
    __builtin_memcpy(&s3, &states.word[3][first], sizeof(s3));
  }
  SOTTO_LANE_INLINE void save(LaneStates& states, std::size_t first) const {
    __builtin_memcpy(&states.word[0][first], &s0, sizeof(s0));
    __builtin_memcpy(&states.word[1][first], &s1, sizeof(s1));
    __builtin_memcpy(&states.word[2][first], &s2, sizeof(s2));
    __builtin_memcpy(&states.word[3][first], &s3, sizeof(s3));
  }
};

// place() of fast_draws.h: (k + ½)·2⁻⁵² of the upper 52 bits, by way of a number in [1, 2), from
// which taking away 1 − 2⁻⁵³ is exact.
template <class Words, class Doubles>
SOTTO_LANE_INLINE void place(const Words& bits, Doubles& out) {
  const Words in_one_to_two = (bits >> 12) | 0x3ff0000000000000;
  same_bits(in_one_to_two, out);
  out -= 1 - 0x1p-53;
}

// What is left of normal() in the lanes whose first comparison has `failed`, which are all ones: x
// without its sign, and the bits that have it. A draw's height is held against an enclosure of the
// curve (Ziggurat::wedges); for what that cannot decide, and for the tail, FastDraws goes on.
template <class Unit>
SOTTO_LANE_INLINE void leave(const Ziggurat& z, const typename Unit::Words& failed,
                             Streams<typename Unit::Words>& streams, typename Unit::Words& bits,
                             typename Unit::Doubles& x, typename Unit::Doubles& outer,
                             typename Unit::Doubles& inner) {
  using Words = typename Unit::Words;
  using Doubles = typename Unit::Doubles;
  Words beyond = failed;
  for (;;) {
    // Both of what may come is drawn at once, so that no lookup waits for the decision: the height,
    // and the word with which the lanes that are over the curve begin again.
    auto once = streams;
    Words drawn;
    once.next(drawn);
    auto twice = once;
    Words again;
    twice.next(again);
    Doubles bend;
    Doubles slack;
    Unit::look_up(z.wedges.data(), bits & 0xff, bend, slack);
    Doubles outer_again;
    Doubles inner_again;
    Unit::look_up(z.ends.data(), again & 0xff, outer_again, inner_again);
    Doubles x_again;
    place(again, x_again);
    x_again *= outer_again;
    Doubles height;
    place(drawn, height);
    height *= outer - inner;
    const Doubles across = outer - x;
    const Doubles curve = across + bend * (across * (x - inner));
    const Words under = (Words)(height < curve - slack);
    const Words over = (Words)(height > curve + slack);
    // Nobody decides in layer 0, whose slack has no end.
    const Words alone = beyond & ~(under | over);
    streams.take(once, beyond & under);
    beyond &= over;
    streams.take(twice, beyond);
    take(again, beyond, bits);
    take(x_again, beyond, x);
    take(outer_again, beyond, outer);
    take(inner_again, beyond, inner);
    if (Unit::negative((Doubles)alone) != 0) [[unlikely]] {
      LaneStates states;
      streams.save(states, 0);
      for (std::size_t l = 0; l < Unit::kWidth; ++l) {
        if (alone[l] == 0) continue;
        FastDraws draws(states.lane(l));
        const double found = draws.normal_from(bits[l]);
        x[l] = std::abs(found);
        bits[l] = std::signbit(found) ? 0x100 : 0;
        states.set_lane(l, draws.state());
      }
      streams.load(states, 0);
    }
    beyond &= (Words)(x >= inner);
    if (Unit::negative((Doubles)beyond) == 0) return;
  }
}

// Lanes [first, first + width) of add_lane_draws().
template <class Unit>
SOTTO_LANE_INLINE void add(const LaneStreams& of, std::span<const WordSigma> sigmas,
                           std::size_t first, LaneStates& states, std::int64_t* sums) {
  using Words = typename Unit::Words;
  using Signed = typename Unit::Signed;
  using Doubles = typename Unit::Doubles;
  const Ziggurat& z = ziggurat();
  Words seeds;
  Words names;
  __builtin_memcpy(&seeds, &of.seeds[first], sizeof(seeds));
  __builtin_memcpy(&names, &of.streams[first], sizeof(names));
  Streams<Words> streams;
  for (const std::uint64_t more : of.more) {
    streams.begin(seeds, names + more);
    std::int64_t* sum_at = sums + first;
    for (const WordSigma& sigma : sigmas) {
      Words bits;
      streams.next(bits);
      Doubles outer;
      Doubles inner;
      Unit::look_up(z.ends.data(), bits & 0xff, outer, inner);
      Doubles x;
      place(bits, x);
      x *= outer;
      if (Unit::negative(x - inner) != (1U << Unit::kWidth) - 1) [[unlikely]] {
        Words bits_then = bits;
        Doubles x_then = x;
        leave<Unit>(z, (Words)(x >= inner), streams, bits_then, x_then, outer, inner);
        bits = bits_then;
        x = x_then;
      }
      // nearest_word(σ·x): what is added takes all that is half a step or more over the next
      // number.
      const Words sign = (bits & 0x100) << 55;
      Words word;
      same_bits(x, word);
      word |= sign;
      same_bits(word, x);
      x *= sigma.sigma;
      const Words half_bits = sign | std::bit_cast<std::uint64_t>(0.5 - 0x1p-54);
      Doubles half;
      same_bits(half_bits, half);
      same_bits(__builtin_convertvector(x + half, Signed), word);
      Words sum;
      __builtin_memcpy(&sum, sum_at, sizeof(sum));
      sum += word;
      __builtin_memcpy(sum_at, &sum, sizeof(sum));
      sum_at += kLanes;
    }
  }
  streams.save(states, first);
}

#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target("avx512f,avx512dq"))) void add_avx512(const LaneStreams& of,
                                                            std::span<const WordSigma> sigmas,
                                                            LaneStates& states,
                                                            std::int64_t* sums) {
  add<Avx512>(of, sigmas, 0, states, sums);
}
__attribute__((target("avx2"))) void add_avx2(const LaneStreams& of,
                                              std::span<const WordSigma> sigmas, LaneStates& states,
                                              std::int64_t* sums) {
  for (std::size_t l = 0; l < kLanes; l += 4) add<Avx2>(of, sigmas, l, states, sums);
}
#endif
void add_portable(const LaneStreams& of, std::span<const WordSigma> sigmas, LaneStates& states,
                  std::int64_t* sums) {
  for (std::size_t l = 0; l < kLanes; l += 2) add<Two>(of, sigmas, l, states, sums);
}

// What this processor takes.
using Kernel = decltype(&add_portable);
Kernel choose() {
#if defined(__x86_64__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return add_avx512;
  if (__builtin_cpu_supports("avx2")) return add_avx2;
#endif
  return add_portable;
}

}  // namespace lanes

void add_lane_draws(const LaneStreams& of, std::span<const WordSigma> sigmas, LaneStates& states,
                    std::span<std::int64_t> sums) {
  check(sums.size() == sigmas.size() * kLanes, "a place for every number");
  static const lanes::Kernel kernel = lanes::choose();
  kernel(of, sigmas, states, sums.data());
}

}  // namespace sotto::noise
