#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::csv {

// The AVX2 half of fields.h, and what both halves share. Nothing here may be
// called unless avx2_available().

// Which of 64 characters are what. First `ends` has the separators and newlines,
// `records` the newlines; then those inside quotes are taken out of both.
struct CharacterMasks {
  std::uint64_t ends = 0;
  std::uint64_t records = 0;
  std::uint64_t newlines = 0;
  std::uint64_t quotes = 0;
  std::uint64_t returns = 0;
};

// Where the offsets of the ends go, and how many there were of what.
struct EndsWriter {
  std::uint32_t* next = nullptr;
  std::size_t records = 0;
  std::size_t lines = 0;
};

// Up to here every integer is a double.
inline constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;

[[nodiscard]] bool avx2_available();

void avx2_masks(const char* text, std::size_t chunks, char separator, CharacterMasks* masks);

// May write up to 64 offsets more than there are.
void avx2_write_ends(const CharacterMasks* masks, std::size_t chunks, std::uint32_t offset,
                     EndsWriter& writer);

std::size_t avx2_plain_column(const char* text, const std::uint32_t* ends,
                              std::size_t fields_per_record, std::size_t column, std::size_t rows,
                              double* out, std::uint16_t* others, char decimal);

}  // namespace sotto::csv
