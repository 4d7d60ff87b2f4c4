#include "data/csv/fields_avx2.h"

#include <array>
#include <bit>

#include "base/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// 64 characters at a time for the ends of fields, 16 for a number's digits.
namespace sotto::csv {

#if defined(__x86_64__)

#define SOTTO_AVX2 __attribute__((target("avx2,bmi,popcnt")))

namespace {

// For a decimal point at byte p of 16: what stands left of it moves one to the
// right, over it. Row 16 (no point) moves nothing.
struct alignas(16) Shuffles {
  std::array<std::array<std::uint8_t, 16>, 17> without_point{};
  constexpr Shuffles() {
    for (unsigned p = 0; p <= 16; ++p) {
      for (unsigned i = 0; i < 16; ++i) {
        const bool moves = p < 16 && i <= p;
        without_point[p][i] = static_cast<std::uint8_t>(!moves ? i : i == 0 ? 0x80 : i - 1);
      }
    }
  }
};

// 16 zeros, then 16 ones: loading at offset L keeps the last L bytes of 16.
struct alignas(32) KeepLast {
  std::array<std::uint8_t, 32> bytes{};
  constexpr KeepLast() {
    for (std::size_t i = 16; i < 32; ++i) bytes[i] = 0xff;
  }
};

// 10 to the number of digits after a point at byte p of 16; no point at 16.
constexpr std::array<double, 17> kPowerAtPoint = {1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7,
                                                  1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1e0, 1e0};
constexpr Shuffles kShuffles;
constexpr KeepLast kKeepLast;

SOTTO_AVX2 inline std::uint64_t equal_to(__m256i low, __m256i high, __m256i wanted) {
  const auto a = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
  const auto b = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
  return a | (std::uint64_t{b} << 32);
}

inline __m128i load16(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

}  // namespace

bool avx2_available() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0;
}

SOTTO_AVX2 void avx2_masks(const char* text, std::size_t chunks, char separator,
                           CharacterMasks* masks) {
  const __m256i separators = _mm256_set1_epi8(separator);
  const __m256i newline = _mm256_set1_epi8('\n');
  const __m256i quote = _mm256_set1_epi8('"');
  const __m256i carriage_return = _mm256_set1_epi8('\r');
  for (std::size_t chunk = 0; chunk < chunks; ++chunk, text += 64) {
    const auto* at = reinterpret_cast<const __m256i*>(text);
    const __m256i low = _mm256_loadu_si256(at);
    const __m256i high = _mm256_loadu_si256(at + 1);
    const std::uint64_t newlines = equal_to(low, high, newline);
    masks[chunk] = {equal_to(low, high, separators) | newlines, newlines, newlines,
                    equal_to(low, high, quote), equal_to(low, high, carriage_return)};
  }
}

// Eight offsets at a time, whether there are that many or not: a branch per
// chunk that goes the same way nearly always, instead of one per field.
SOTTO_AVX2 void avx2_write_ends(const CharacterMasks* masks, std::size_t chunks,
                                std::uint32_t offset, EndsWriter& writer) {
  std::uint32_t* next = writer.next;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk, offset += 64) {
    std::uint64_t ends = masks[chunk].ends;
    const auto count = static_cast<std::size_t>(_mm_popcnt_u64(ends));
    writer.records += static_cast<std::size_t>(_mm_popcnt_u64(masks[chunk].records));
    writer.lines += static_cast<std::size_t>(_mm_popcnt_u64(masks[chunk].newlines));
    for (std::size_t first = 0; first < count; first += 8) {
      for (std::size_t i = first; i < first + 8; ++i) {
        next[i] = offset + static_cast<std::uint32_t>(_tzcnt_u64(ends));
        ends = _blsr_u64(ends);
      }
    }
    next += count;
  }
  writer.next = next;
}

// The field's last 16 characters in one register, so that its units stand at the
// right end: one shuffle takes the point out, three multiplications add the digits up.
SOTTO_AVX2 std::size_t avx2_plain_column(const char* text, const std::uint32_t* ends,
                                         std::size_t fields_per_record, std::size_t column,
                                         std::size_t rows, double* out, std::uint16_t* others,
                                         char decimal) {
  const __m128i tens = _mm_set1_epi16(0x010a);               // 10, 1
  const __m128i hundreds = _mm_set1_epi32(0x00010064);       // 100, 1
  const __m128i ten_thousands = _mm_set1_epi32(0x00012710);  // 10000, 1
  const __m128i decimals = _mm_set1_epi8(decimal);
  const bool last = column + 1 == fields_per_record;
  const std::uint32_t* end = ends + column;
  std::size_t other_count = 0;
  for (std::size_t r = 0; r < rows; ++r, end += fields_per_record) {
    const std::uint32_t from = end[0] + 1;
    std::uint32_t to = end[1];
    if (last && to > from && text[to - 1] == '\r') --to;
    const bool negative = text[from] == '-';
    const std::uint32_t length = to - from - (negative ? 1 : 0);
    const std::uint32_t kept = length & 31;
    const char* tail = text + static_cast<std::ptrdiff_t>(to) - 16;

    const __m128i characters = load16(tail);
    const __m128i digits = _mm_sub_epi8(characters, _mm_set1_epi8('0'));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    const __m128i is_point = _mm_cmpeq_epi8(characters, decimals);
    const std::uint32_t field = (0xffff0000U >> kept) & 0xffffU;  // the last `length` of 16 bits
    const std::uint32_t odd = ~static_cast<std::uint32_t>(_mm_movemask_epi8(is_digit)) & field;
    const std::uint32_t points = static_cast<std::uint32_t>(_mm_movemask_epi8(is_point)) & field;
    const auto point = static_cast<std::uint32_t>(__builtin_ctz(odd | 0x10000U));
    const std::uint32_t digit_count = length - (odd != 0 ? 1 : 0);
    // Length 0 wraps below zero only for a lone "-"; both fall out here.
    if (length - 1U > 15U || odd != points || (odd & (odd - 1)) != 0 || digit_count == 0) {
      others[other_count++] = static_cast<std::uint16_t>(r);
      continue;
    }
    __m128i d = _mm_and_si128(digits, load16(kKeepLast.bytes.data() + length));
    d = _mm_shuffle_epi8(d, load16(kShuffles.without_point[point].data()));
    d = _mm_maddubs_epi16(d, tens);
    d = _mm_madd_epi16(d, hundreds);
    d = _mm_packus_epi32(d, d);
    d = _mm_madd_epi16(d, ten_thousands);
    const auto halves = static_cast<std::uint64_t>(_mm_cvtsi128_si64(d));
    const std::uint64_t whole = (halves & 0xffffffffU) * 100000000U + (halves >> 32);
    if (whole > kExactIntegers) {
      others[other_count++] = static_cast<std::uint16_t>(r);
      continue;
    }
    const double magnitude =
        static_cast<double>(static_cast<std::int64_t>(whole)) / kPowerAtPoint[point];
    // Signs are as good as random: no branch on them.
    out[r] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                   (std::uint64_t{negative} << 63));
  }
  return other_count;
}

#else

bool avx2_available() {
  return false;
}
void avx2_masks(const char*, std::size_t, char, CharacterMasks*) {
  check(false, "AVX2 is there");
}
void avx2_write_ends(const CharacterMasks*, std::size_t, std::uint32_t, EndsWriter&) {
  check(false, "AVX2 is there");
}
std::size_t avx2_plain_column(const char*, const std::uint32_t*, std::size_t, std::size_t,
                              std::size_t, double*, std::uint16_t*, char) {
  check(false, "AVX2 is there");
  return 0;
}

#endif

}  // namespace sotto::csv
