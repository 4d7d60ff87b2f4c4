#pragma once

#include <cstdint>
#include <ostream>

#include "base/result.h"
#include "data/schema.h"

namespace sotto {

// Made-up tables that behave like real ones: households, and the electricity and
// heat they use in a month. Numbers and categories that depend on each other, a
// target that is not quite linear in them, noise with a heavy tail, meters that
// jump out of every bound, answers that are missing, and parties (towns) whose
// households differ. One seed, one table, at any number of parties and rows.
struct GeneratedTable {
  static constexpr std::uint64_t kMaxRows = 1'000'000'000;
  static constexpr double kMostMissing = 0.5;

  std::uint64_t rows = 1000;
  std::uint64_t seed = 1;
  std::uint64_t party = 0;  // each has a climate and building stock of its own
  double missing = 0.01;    // probability that an answer is missing
};

// What a study would say about them, from general knowledge and not from the tables.
[[nodiscard]] Schema household_schema();

// E-generate-rows, E-generate-missing. The caller looks at the stream's state.
[[nodiscard]] Result<void> write_households(const GeneratedTable& table, std::ostream& out);

}  // namespace sotto
