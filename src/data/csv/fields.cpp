#include "data/csv/fields.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "data/csv/fields_avx2.h"

// The portable kernel, what both have in common, and numbers that are not plain.
namespace sotto {
namespace {

// kComma: no character above the comma matters, and most are above it.
template <bool kComma>
void portable_masks_of(const char* text, std::size_t chunks, char other_separator,
                       csv::CharacterMasks* masks) {
  const char separator = kComma ? ',' : other_separator;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk, text += 64) {
    csv::CharacterMasks m{};
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      const char c = text[i];
      if (c > ',' && (kComma || c != separator)) continue;
      if (c == separator || c == '\n') m.ends |= bit;
      if (c == '\n') m.newlines |= bit;
      if (c == '"') m.quotes |= bit;
      if (c == '\r') m.returns |= bit;
    }
    m.records = m.newlines;
    masks[chunk] = m;
  }
}

void portable_masks(const char* text, std::size_t chunks, char separator,
                    csv::CharacterMasks* masks) {
  separator == ',' ? portable_masks_of<true>(text, chunks, separator, masks)
                   : portable_masks_of<false>(text, chunks, separator, masks);
}

void portable_write_ends(const csv::CharacterMasks* masks, std::size_t chunks, std::uint32_t offset,
                         csv::EndsWriter& writer) {
  for (std::size_t chunk = 0; chunk < chunks; ++chunk, offset += 64) {
    writer.records += static_cast<std::size_t>(std::popcount(masks[chunk].records));
    writer.lines += static_cast<std::size_t>(std::popcount(masks[chunk].newlines));
    for (std::uint64_t ends = masks[chunk].ends; ends != 0; ends &= ends - 1) {
      *writer.next++ = offset + static_cast<std::uint32_t>(std::countr_zero(ends));
    }
  }
}

// Bit i of the result: the parity of bits 0…i.
std::uint64_t prefix_parity(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// What the previous 64 characters tell the next ones.
struct QuoteState {
  std::uint64_t inside = 0;       // all ones inside quotes
  std::uint64_t may_open = 1;     // bit 0: the character before lets a quote open
  std::uint64_t just_closed = 0;  // bit 0: the character before was a closing quote
};

// Takes what is inside quotes out of the ends. Returns the places where RFC 4180
// is broken, and nothing that follows the first of them counts.
std::uint64_t apply_quotes(csv::CharacterMasks& m, QuoteState& state) {
  const std::uint64_t lets_open = m.ends | m.quotes;
  if ((m.quotes | state.inside | state.just_closed) == 0) {
    state.may_open = lets_open >> 63;
    return 0;
  }
  const std::uint64_t inside = prefix_parity(m.quotes) ^ state.inside;  // opening yes, closing no
  const std::uint64_t opening = m.quotes & inside;
  const std::uint64_t closing = m.quotes & ~inside;
  const std::uint64_t after_closing = (closing << 1) | state.just_closed;
  const std::uint64_t wrong =
      (opening & ~((lets_open << 1) | state.may_open)) | (after_closing & ~(lets_open | m.returns));
  const std::uint64_t valid = ~inside & ((wrong & (~wrong + 1)) - 1);
  m.ends &= valid;
  m.records &= valid;
  state.inside = std::uint64_t{0} - (inside >> 63);
  state.may_open = lets_open >> 63;
  state.just_closed = closing >> 63;
  return wrong;
}

constexpr std::array<double, 17> kPowersOfTen = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                                 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Clinger's fast path: digits·10^−fraction is the nearest double when both are
// exact doubles, because a division rounds once.
bool portable_plain(std::string_view field, char decimal, double& value) {
  const bool negative = !field.empty() && field.front() == '-';
  if (negative) field.remove_prefix(1);
  if (field.empty() || field.size() > 16) return false;
  std::uint64_t digits = 0;
  std::size_t count = 0;
  std::size_t fraction = 0;
  bool point = false;
  for (const char c : field) {
    if (c == decimal && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) return false;
    digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
    ++count;
    fraction += point ? 1 : 0;
  }
  if (count == 0 || digits > csv::kExactIntegers) return false;
  const double magnitude = static_cast<double>(digits) / kPowersOfTen[fraction];
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace

CsvKernel best_csv_kernel() {
  return csv::avx2_available() ? CsvKernel::kAvx2 : CsvKernel::kPortable;
}

void find_field_ends(CsvKernel kernel, std::string_view text, FieldEnds& found, char separator) {
  check(!text.empty() && text.back() == '\n', "a block's last byte is a newline");
  const bool avx2 = kernel == CsvKernel::kAvx2;
  constexpr std::size_t kBatch = 64;  // 4 KiB at a time
  std::array<csv::CharacterMasks, kBatch> masks;
  if (found.ends.size() < text.size() + 65) found.ends.resize(text.size() + 65);
  found.ends[0] = ~std::uint32_t{0};
  found.bad_quote = FieldEnds::kNone;
  csv::EndsWriter writer{found.ends.data() + 1};
  QuoteState state;
  const std::size_t chunks = (text.size() + 63) / 64;
  for (std::size_t first = 0; first < chunks; first += kBatch) {
    std::size_t batch = std::min(kBatch, chunks - first);
    const char* at = text.data() + first * 64;
    avx2 ? csv::avx2_masks(at, batch, separator, masks.data())
         : portable_masks(at, batch, separator, masks.data());
    for (std::size_t i = 0; i < batch; ++i) {
      if (const std::uint64_t wrong = apply_quotes(masks[i], state); wrong != 0) {
        found.bad_quote = (first + i) * 64 + static_cast<std::size_t>(std::countr_zero(wrong));
        batch = i + 1;
      }
    }
    const auto offset = static_cast<std::uint32_t>(first * 64);
    avx2 ? csv::avx2_write_ends(masks.data(), batch, offset, writer)
         : portable_write_ends(masks.data(), batch, offset, writer);
    if (found.bad_quote != FieldEnds::kNone) break;
  }
  found.fields = static_cast<std::size_t>(writer.next - found.ends.data()) - 1;
  found.records = writer.records;
  found.lines = writer.lines;
  found.unterminated = found.bad_quote == FieldEnds::kNone && state.inside != 0;
}

std::size_t parse_plain_column(CsvKernel kernel, const char* text, const std::uint32_t* ends,
                               std::size_t fields_per_record, std::size_t column, std::size_t rows,
                               double* out, std::uint16_t* others, char decimal) {
  if (kernel == CsvKernel::kAvx2) {
    return csv::avx2_plain_column(text, ends, fields_per_record, column, rows, out, others,
                                  decimal);
  }
  std::size_t other_count = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint32_t* end = ends + r * fields_per_record + column;
    const std::uint32_t from = end[0] + 1;
    std::uint32_t to = end[1];
    if (to > from && text[to - 1] == '\r' && text[to] == '\n') --to;
    if (!portable_plain({text + from, to - from}, decimal, out[r])) {
      others[other_count++] = static_cast<std::uint16_t>(r);
    }
  }
  return other_count;
}

}  // namespace sotto
