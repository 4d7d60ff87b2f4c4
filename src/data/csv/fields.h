#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "data/source.h"

namespace sotto {

// What a file writes between its fields, and inside its numbers. Never a quote, a newline or the
// same for both.
struct CsvFormat {
  char separator = ',';
  char decimal = '.';
  bool operator==(const CsvFormat&) const = default;
};

// The two inner loops of the CSV reader: where fields end, and what number a
// field is. Both kernels give the same bits on any text.
enum class CsvKernel { kPortable, kAvx2 };

// AVX2 where the processor has it.
[[nodiscard]] CsvKernel best_csv_kernel();

// Text handed to the kernels can be read this far beyond both of its ends; what
// follows it is zeros.
inline constexpr std::size_t kTextPadding = 64;

// Where the fields of a text end. The text starts at a record's beginning and
// its last byte is a newline.
struct FieldEnds {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // ends[0] is −1 (mod 2^32); then the offset of every separator and newline outside
  // quotes. So field i is [ends[i] + 1, ends[i+1]).
  std::vector<std::uint32_t> ends;
  std::size_t fields = 0;
  std::size_t records = 0;        // newlines outside quotes
  std::size_t lines = 0;          // all newlines
  std::size_t bad_quote = kNone;  // the first quote that RFC 4180 does not allow
  bool unterminated = false;      // a quoted field does not end
};

// Quotes are paired by parity: a field is quoted from an odd quote to the next
// even one, and "" inside is a pair. An opening quote must start a field, a
// closing one end it. Stops at the first that does not.
void find_field_ends(CsvKernel kernel, std::string_view text, FieldEnds& found,
                     char separator = ',');

// Column `column` of `rows` records, `fields_per_record` fields each; `ends`
// points at the sentinel before the first. Writes the numbers of plain decimals
// of at most 16 characters (the common case); the rows of all other fields go to
// `others`, in order. Returns how many.
std::size_t parse_plain_column(CsvKernel kernel, const char* text, const std::uint32_t* ends,
                               std::size_t fields_per_record, std::size_t column, std::size_t rows,
                               double* out, std::uint16_t* others, char decimal = '.');

}  // namespace sotto
